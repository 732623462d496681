from engine.graph.history import History


def test_that_undo_and_redo_walk_the_states() -> None:
    history = History("a")
    history.push("b", "to b")
    history.push("c", "to c")
    assert history.undo_label == "to c"
    assert history.undo() == "b"
    assert history.redo_label == "to c"
    assert history.undo() == "a"
    assert not history.can_undo
    assert history.undo() == "a"
    assert history.redo() == "b"


def test_that_a_new_state_forgets_what_was_undone() -> None:
    history = History("a")
    history.push("b", "b")
    history.undo()
    history.push("c", "c")
    assert not history.can_redo
    assert history.undo() == "a"


def test_that_states_with_one_merge_key_are_one_entry() -> None:
    history = History("a")
    for state in ("b1", "b2", "b3"):
        history.push(state, "drag", merge_key="drag")
    assert history.present == "b3"
    assert history.undo() == "a"
    assert not history.can_undo


def test_that_sealing_ends_the_merging() -> None:
    history = History("a")
    history.push("b", "drag", merge_key="drag")
    history.seal()
    history.push("c", "drag", merge_key="drag")
    assert history.undo() == "b"


def test_that_the_saved_state_is_never_merged_away() -> None:
    history = History("a")
    history.push("b", "type", merge_key="type")
    history.mark_saved()
    history.push("c", "type", merge_key="type")
    assert history.is_modified
    assert history.undo() == "b"
    assert not history.is_modified


def test_that_modified_means_other_than_saved() -> None:
    history = History("a")
    assert not history.is_modified
    history.push("b", "b")
    assert history.is_modified
    history.undo()
    assert not history.is_modified
    history.mark_unsaved()
    assert history.is_modified


def test_that_the_same_state_makes_no_entry() -> None:
    history = History("a")
    history.push(history.present, "nothing")
    assert not history.can_undo
