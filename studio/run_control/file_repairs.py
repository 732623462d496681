"""Repairs offered where a run ended at data that cannot be read, are not there, or do not fit, or
at a batch that memory has no room for.
"""

from collections.abc import Callable

from engine.diagnostics import Diagnostic, sentence
from engine.graph.repair.case import RepairProposal
from engine.query.data.request import RepairFile
from engine.query.model.request import Repairs
from engine.spec.damaged_file import is_about_file
from engine.spec.memory_repair import memory_repairs
from engine.spec.transform_repair import transform_repairs
from studio.i18n import translate
from studio.process.thread_handover import ThreadHandover
from studio.session.analyst import Host
from studio.session.repair import apply_repair
from studio.session.run_follower import RunUpdate
from studio.session.session import Session
from studio.view.problem import code_file, lost_path
from studio.view.taking_back import taking_back
from studio.window.banner import BannerAction
from studio.window.notifications import Notifications


class FileRepairs:
    """Asks the host what repairs the data of a run, and makes the change to the open document;
    ``locate`` asks the user where the data of a setting is now, ``show`` goes to a line of code.
    """

    def __init__(
        self,
        session: Session,
        host: Host,
        handover: ThreadHandover,
        notifications: Notifications,
        language: Callable[[], str],
        *,
        locate: Callable[[str], object],
        show: Callable[[Diagnostic], object],
    ) -> None:
        self._session = session
        self._host = host
        self._handover = handover
        self._notifications = notifications
        self._language = language
        self._locate = locate
        self._show = show

    def ask(self, update: RunUpdate, offer: Callable[[tuple[BannerAction, ...]], object]) -> None:
        """Call ``offer`` with buttons that repair what a run ended at, if there are any: the data
        of the document has to be that of the run.
        """
        problem, document = update.state.problem, update.folder.document
        source = self._session.spec.data.source
        if problem is None:
            return
        if file := code_file(problem, self._session.graph):
            title = translate("Data", "Go to {place}").format(place=file)
            offer(((title, lambda: self._show(problem)),))
        if document.spec.data.source != source:
            return
        if lost := lost_path(problem, self._session.spec, self._session.graph):
            offer(((translate("Data", "Locate…"), lambda: self._locate(lost)),))
        fixes = tuple(transform_repairs(problem, self._session.spec, code=self._session.graph.code))
        if document.spec.data.batch_size == self._session.spec.data.batch_size:
            info = self._session.findings.data
            fixes += tuple(memory_repairs(problem, self._session.spec, info))
        if fixes:
            self._offer(Repairs(fixes=(fixes,)), offer)
        if not is_about_file(problem):
            return
        request = RepairFile(data=document.spec.data, problem=problem, code=document.graph.code)
        self._handover.deliver(
            self._host.request(request),
            lambda future: self._offer(future.result(), offer),
            self._on_failure,
            is_wanted=lambda: self._session.spec.data.source == source,
        )

    def _offer(self, repairs: Repairs, offer: Callable[[tuple[BannerAction, ...]], object]) -> None:
        actions = tuple(
            (self._title(fix), lambda fix=fix: self._repair(fix))
            for fixes in repairs.fixes
            for fix in fixes
        )
        if actions:
            offer(actions)

    def _on_failure(self, problems: tuple[Diagnostic, ...]) -> None:
        """Offer nothing: why the data cannot be loaded is told where it is shown."""

    def _repair(self, fix: RepairProposal) -> None:
        language = self._language()
        apply_repair(self._session, fix, language)
        text = translate("Run", "Done: {what}. Start the run again.")
        self._notifications.tell(
            text.format(what=sentence(fix.words, language)),
            "success",
            action=taking_back(self._session, self._notifications),
        )

    def _title(self, fix: RepairProposal) -> str:
        if fix.excluded:
            return translate("Run", "Exclude the file")
        if "data.source.on_damaged" in fix.settings:
            return translate("Run", "Replace damaged files")
        return sentence(fix.words, self._language())
