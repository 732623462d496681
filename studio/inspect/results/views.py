"""What several views of each sample bring, in words."""

from engine.query.results.request import ResultReport
from engine.spec.view_rule import VIEW_GAINS
from studio.i18n import translate


def present_views(report: ResultReport) -> list[str]:
    """Return over how many views the measures are, and how good the sample alone is; nothing where
    there is one.
    """
    params = next((each.params for each in report.notices if each.code in VIEW_GAINS), None)
    if params is None:
        return []
    alone = params.get("accuracy_alone")
    if alone is None:
        measure = translate("Results", "loss {loss}").format(loss=params["loss_alone"])
    else:
        measure = translate("Results", "accuracy {share} %").format(share=alone)
    over = translate("Results", "mean over {count} views (the sample alone: {measure})")
    return [over.format(count=params["views"], measure=measure)]
