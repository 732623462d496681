"""What an exported file says about a sample of a time series."""

import ast

import numpy as np

from engine.export.job import build_job
from engine.export.training_file import write_training_class
from engine.spec.run import Choice, DataSpec, LossTerm
from tests.tiny_run import chain, make_run, node, train


def test_that_the_columns_of_a_series_are_named_in_their_order(tmp_path):
    rows = "".join(f"{np.sin(n):.3f},{n % 7},{n}\n" for n in range(40))
    (tmp_path / "s.csv").write_text('"a ""\\N""",heat,load\n' + rows, encoding="utf-8")
    graph = chain(
        node("Input", "series", field="series", shape=(4, 2)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=1),
        node("Output", "next"),
    )
    loss = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.next", "target": "data.target"}
    )
    params = {"path": str(tmp_path / "s.csv"), "length": 4, "targets": "heat"}
    source = Choice(type="series", params={**params, "features": 'load, a "\\N"'})
    run = make_run(
        tmp_path / "project", graph, data=DataSpec(source=source), losses=(loss,), epochs=1
    )
    train(run)
    job, _ = build_job(run.path, "last")
    write_training_class(job, tmp_path / "model.py")
    text = (tmp_path / "model.py").read_text(encoding="utf-8")
    functions = {
        each.name: each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)
    }
    told = ast.get_docstring(functions["read_values"]) or ""
    assert "(4, 2)" in told
    named = told[told.index("(4, 2)") :]
    assert 0 < named.index('"load"') < named.index("\\N")
