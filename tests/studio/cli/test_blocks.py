"""A project with blocks on the command line: checked, trained, exported."""

from engine.graph.edit.block_edits import GroupNodes, SetRepeat
from engine.graph.edit.edits import apply
from engine.project import Project


def with_block(folder) -> None:
    project = Project.open(folder)
    names = [n.id for n in project.graph.nodes.values() if n.type not in ("Input", "Output")]
    graph = apply(GroupNodes(ids=tuple(names[1:2]), name="Part"), project.graph)
    project.graph = apply(SetRepeat(id="part", repeat=2), graph)
    project.save()


def test_that_check_tells_what_is_inside_blocks(run, project):
    with_block(project)
    nodes = run("check", project, "--json").json()["nodes"]
    assert nodes["part"]["type"] == "block.Part"
    inside = {place for place in nodes if place.startswith("part/")}
    assert len(inside) == 3
    assert all(nodes[place]["outputs"] for place in inside)
    assert "part/" in run("check", project).out


def test_that_a_model_with_blocks_trains_and_is_exported(run, project, tmp_path):
    with_block(project)
    done = run("train", project, "--epochs", "1", "--mode", "thread", "--json")
    assert done.code == 0
    assert done.json()["state"] == "finished"
    output = tmp_path / "model.py"
    done = run("export", project, "--run", "latest", "--format", "python", "--output", output)
    assert done.code == 0
    assert "largest difference after reading back: 0" in done.out
    assert "nn.ModuleList" in output.read_text()
