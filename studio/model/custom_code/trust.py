"""Trust in the code of a project: the banner that asks, the badge, and the way to revoke it."""

from collections.abc import Callable

from engine.graph.code import code_digest
from studio.command.command import MENUS
from studio.i18n import QT_TRANSLATE_NOOP, translate, without_mnemonic
from studio.services import Controller, Services
from studio.window.banner import BannerView

TRUST_BANNER = "trust"
TRUST_TITLE = QT_TRANSLATE_NOOP("Action", "Trust project code…")
_MOST_NAMED = 4


class TrustController(Controller):
    """Shows that a project holds code which nobody has agreed to, and takes the answer."""

    def __init__(
        self,
        services: Services,
        *,
        look: Callable[[], object],
        update_actions: Callable[[], object],
    ) -> None:
        super().__init__(services, services.window)
        self._trust = services.trust
        self._look = look
        self._ask_again = services.analyst.ask_again
        self._update_actions = update_actions
        self._asked = ""  # the code that the banner was about
        self._session.project_changed.connect(self.refresh)
        self._session.graph_changed.connect(self.refresh)
        services.trust.changed.connect(self._on_trust_changed)

    def begin(self) -> None:
        """Show how things stand in a window that was built now."""
        self._window.status.trust_clicked.connect(self.ask)
        self.refresh()

    @property
    def is_restricted(self) -> bool:
        """Whether the project holds code that may not run."""
        session = self._session
        return session.project is not None and not self._trust.covers(session.graph.code)

    def refresh(self) -> None:
        """Ask where there is something to agree to that was not asked about yet."""
        is_restricted = self.is_restricted
        self._window.status.set_restricted(is_restricted=is_restricted)
        if not is_restricted:
            self._asked = ""
            self._window.dismiss_banner(TRUST_BANNER)
        elif code_digest(self._session.graph.code) != self._asked:
            self.ask()

    def ask(self) -> None:
        """Show the banner."""
        if not self.is_restricted:
            return
        code = self._session.graph.code
        self._asked = code_digest(code)
        names = ", ".join(list(code)[:_MOST_NAMED]) + (", …" if len(code) > _MOST_NAMED else "")
        text = translate(
            "Trust",
            "This project contains custom code from elsewhere ({names}). It does not run "
            "until you trust it. Everything else works.",
        ).format(names=names)
        self._window.show_banner(
            BannerView(
                key=TRUST_BANNER,
                text=text,
                actions=(
                    (translate("Trust", "Review code"), self.look),
                    (translate("Trust", "Trust and run"), self.agree),
                    (translate("Trust", "Keep restricted"), self._keep_restricted),
                ),
            )
        )

    def look(self) -> None:
        """Open the files; the question stays."""
        self._look()
        self.ask()

    def agree(self) -> None:
        """Trust the code as it is now."""
        project = self._session.project
        if project is not None and self._session.graph.code:
            self._trust.agree(project.path, self._session.graph.code)

    def withdraw(self) -> None:
        """Run nothing of the project any more."""
        project = self._session.project
        if project is not None:
            self._asked = code_digest(self._session.graph.code)
            self._trust.withdraw(project.path)

    def _keep_restricted(self) -> None:
        text = translate(
            "Trust", "Custom code does not run. To change that, choose “{menu} › {command}”."
        )
        menu = without_mnemonic(translate("Action", dict(MENUS)["code"]))
        self._notifications.tell(text.format(menu=menu, command=translate("Action", TRUST_TITLE)))

    def _on_trust_changed(self) -> None:
        self.refresh()
        self._ask_again()
        self._update_actions()
