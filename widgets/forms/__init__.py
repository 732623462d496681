"""Forms made from descriptions.

``view_model``: ``FieldView``, ``GroupView``, ``FormView``. ``form.FormWidget``: ``set_view(view)``,
``focus_field(name)``, signals ``value_changed(name, text)`` (text as typed, or ``true``/``false``),
``auto_requested(name, on)``, ``none_requested(name, on)``, ``reset_requested(name)``,
``help_requested(name)``.
"""
