"""What all widgets share.

``theme``: ``Theme``, ``LIGHT``, ``DARK``, ``current_theme()``, ``apply_theme(app, theme, scale)``,
``theme_signals().changed``, ``scaled_font()``, ``mono_font()``. ``icons``: ``icon(name, color)``,
``set_icon(target, name)`` (follows the theme), ``pixmap()``. ``search``: ``ranked()``, ``score()``.
``throttle.Throttle``. ``toast.ToastStack(parent)``: ``show_toast(ToastView)``.
``empty_state.EmptyState``. ``progress.ProgressPanel``. ``command_palette.CommandPalette``.
``help_view.HelpView``. ``live_widget.LiveWidget``: hooks ``retranslate()`` and ``restyle()``.
"""
