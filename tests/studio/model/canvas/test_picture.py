"""The model as a picture in a file."""

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    return canvas


def export(opened, path):
    """Choose File > Export picture and a file in its dialog."""
    opened.bench.actions.action("action.file.export_picture").trigger()
    dialog = opened.window.findChild(QFileDialog, "dialog.save_picture")
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    dialog.fileSelected.emit(str(path))
    dialog.reject()


@pytest.mark.row("N27")
def test_that_a_png_holds_the_whole_graph_though_a_part_is_seen(opened, canvas, tmp_path):
    bounds = canvas.scene.bounds()
    canvas.viewport.zoom(2.0, canvas.rect().center().toPointF())
    path = tmp_path / "model.png"
    export(opened, path)
    image = QImage(str(path))
    assert image.width() >= 2 * bounds.width()
    assert image.height() >= 2 * bounds.height()
    ground = canvas.style_now()["canvas"]
    assert QColor(image.pixel(1, 1)).rgb() == ground.rgb()
    colors = {
        image.pixel(x, y) for x in range(0, image.width(), 9) for y in range(0, image.height(), 9)
    }
    assert len(colors) > 4


def test_that_an_svg_holds_texts_and_no_pictures_of_pixels(opened, canvas, tmp_path):
    path = tmp_path / "model.svg"
    export(opened, path)
    text = path.read_text(encoding="utf-8")
    assert QSvgRenderer(str(path)).isValid()
    for node in opened.session.level.nodes.values():
        assert node.name in text
    assert "<image" not in text


def test_that_a_pdf_is_one_page_with_no_picture_of_pixels(opened, canvas, tmp_path):
    path = tmp_path / "model.pdf"
    export(opened, path)
    content = path.read_bytes()
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") == 1
    assert b"/Subtype /Image" not in content


def test_that_nothing_selected_or_hovered_is_drawn(opened, canvas, tmp_path):
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    export(opened, first)
    canvas.select(tuple(opened.session.level.nodes))
    canvas.mark_found(())
    export(opened, second)
    assert QImage(str(first)) == QImage(str(second))


def test_that_another_ending_is_refused_in_words(opened, canvas, tmp_path):
    export(opened, tmp_path / "model.bmp")
    assert not (tmp_path / "model.bmp").exists()
    assert ".png, .svg or .pdf" in opened.bench.log.text.toPlainText()


def test_that_a_folder_that_is_not_there_is_told(opened, canvas, tmp_path):
    export(opened, tmp_path / "none" / "model.png")
    assert not (tmp_path / "none").exists()
    assert "model.png" in opened.bench.log.text.toPlainText()


@pytest.mark.row("N27")
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_that_a_picture_opens_as_the_project_it_was_made_from(
    opened, canvas, tmp_path, kind, monkeypatch
):
    path = tmp_path / f"model.{kind}"
    export(opened, path)
    graph, spec = opened.session.graph, opened.session.spec
    monkeypatch.setattr("studio.project.project.projects_folder", lambda: tmp_path / "made")
    opened.window.dropped.emit(path)
    assert opened.session.project.path == tmp_path / "made" / "model"
    assert (opened.session.graph, opened.session.spec) == (graph, spec)


def test_that_the_picture_alone_can_be_chosen(opened, canvas, tmp_path):
    path = tmp_path / "model.png"
    opened.bench.actions.action("action.file.export_picture").trigger()
    dialog = opened.window.findChild(QFileDialog, "dialog.save_picture")
    dialog.selectNameFilter(dialog.nameFilters()[3])
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    assert QImage(str(path)).width() > 100
    opened.bench.project.open(path)
    assert "does not contain a project" in opened.bench.log.text.toPlainText()
