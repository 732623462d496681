"""Sandbox: confined processes that read files of strangers and can harm nobody.

What a confined process imports before it confines itself stands in modules of its own: nothing is
imported here.
"""
