"""What ``tools.build_catalog`` puts together: introspection of torch and the hand-written rest."""
