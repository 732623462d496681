"""Data of the project's code in the whole window: made, chosen, renamed, kept, undone."""

import pytest

from engine.spec.fields import set_value
from studio.view.recipe import present_data_form

pytestmark = pytest.mark.row("S133")


@pytest.fixture
def made(opened):
    opened.bench.actions.trigger("action.data.new_dataset")
    return opened


def test_that_a_new_data_set_is_chosen_and_opened(made):
    session = made.session
    assert session.spec.data.source.type == "code.datasets.Rings"
    assert "class Rings(Dataset)" in session.graph.code["datasets.py"]
    assert made.bench.own_code.editor.current_file == "datasets.py"
    made.bench.actions.trigger("action.edit.undo")
    made.bench.actions.trigger("action.edit.undo")
    assert "datasets.py" not in session.graph.code
    assert not session.spec.data.source.type.startswith("code.")


def test_that_the_code_of_a_new_data_set_may_run(made):
    assert made.services.trust.covers(made.session.graph.code)


def test_that_the_form_offers_the_classes_of_the_project_first(made):
    form = present_data_form(made.services.editor.recipe())
    views = {field.name: field for group in form.groups for field in group.fields}
    source = views["data.source"]
    assert source.choices[0] == ("code.datasets.Rings", "Rings (datasets.py)")
    assert source.text == "code.datasets.Rings"
    assert "rings" in source.help
    assert {"data.source.noise", "data.source.collate_fn", "data.source.sampler"} <= set(views)


def test_that_the_data_follow_a_renamed_file(made):
    session = made.session
    spec = set_value(session.spec, "data.source.noise", 0.5, session.graph.code)
    session.change(session.graph, spec, "set")
    made.bench.own_code.editor.rename("datasets.py", "points.py")
    assert session.spec.data.source.type == "code.points.Rings"
    assert session.spec.data.source.params["noise"] == 0.5


def test_that_a_sampler_follows_a_renamed_file(made):
    session = made.session
    made.bench.own_code.editor.new("sequences")
    spec = set_value(session.spec, "data.source", "code.sequences.Sums", session.graph.code)
    name = "data.source.sampler"
    spec = set_value(spec, name, "sequences.ShortFirst", session.graph.code)
    session.change(session.graph, spec, "set")
    made.bench.own_code.editor.rename("sequences.py", "sums.py")
    assert session.spec.data.source.params["sampler"] == "sums.ShortFirst"


def test_that_a_file_with_the_chosen_data_is_kept(made):
    made.bench.own_code.editor.remove()
    assert "datasets.py" in made.session.graph.code
