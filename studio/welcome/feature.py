"""Feature of the welcome page, and of the projects that were open before."""

from studio.command.actions import ActionSet
from studio.command.context import Context
from studio.command.feature import Feature
from studio.help.controller import HelpController
from studio.model.importer.controller import ImportController
from studio.project.project import ProjectController
from studio.project.recent import RecentMenu
from studio.run_control.leaving import LeavingController
from studio.services import Services
from studio.welcome.controller import WelcomeController
from studio.welcome.page import WelcomePage


def _build(context: Context) -> None:
    services, page = context[Services], context.add(WelcomePage())
    controller = context.add(
        WelcomeController(
            services,
            page,
            project=context[ProjectController],
            leaving=context[LeavingController],
            help_controller=context[HelpController],
            importing=context[ImportController],
        )
    )
    page.data_requested.connect(lambda: context[ActionSet].trigger("action.file.new_data"))
    page.check_requested.connect(lambda: context[ActionSet].trigger("action.help.installation"))

    def add_menu() -> None:
        menu = services.window.menu("file")
        context.add(RecentMenu(menu, services.settings, controller.open_recent))

    context.placed.connect(add_menu)


FEATURE = Feature(build=_build)
