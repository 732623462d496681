"""Page of the profiler: times and operations of each layer, operators, the trace."""

from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.inspect.profile.presenter import ProfileView
from studio.inspect.report import ReportPage
from widgets.common.text import plain_tip
from widgets.tables.table_view import TableView


class ProfilePage(ReportPage):
    """Asks to ``measure`` steps and to ``save`` the trace."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("profile", translate("Profile", "Layer profile"), parent)
        self.add_button(
            "measure",
            translate("Profile", "Profile five steps"),
            translate(
                "Profile",
                "Time five steps of the run, count the operations of another one and trace "
                "one more. These steps are slower but give the same results.",
            ),
            "speed",
        )
        self.add_button(
            "save",
            translate("Profile", "Save trace…"),
            translate("Profile", "Save one step for chrome://tracing or Perfetto"),
            "save",
        )
        self.on_canvas.setToolTip(
            plain_tip(
                translate(
                    "Profile",
                    "Show the forward + backward time and the forward operations below each node",
                )
            )
        )
        self.operators = TableView("profile.operators", self)
        self.operators.setAccessibleName(translate("Profile", "PyTorch operators"))
        self.column.addWidget(self.operators)

    def set_view(self, view: ProfileView) -> None:
        """Show a profile."""
        self.show_report(view.layers, view.summary, view.possible)
        self.operators.set_data(view.operators)
