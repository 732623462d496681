"""Downloads: whole and checked, continued after an interruption, or a sentence says why not."""

import pytest

from engine.data.fetch import fetch as fetch_module
from engine.data.fetch.fetch import fetch
from engine.data.fetch.progress import untold
from engine.diagnostics import DiagnosticError, sentence
from tests import vision_files as made

CONTENT = bytes(range(256)) * 4000


def refused(url, file, md5):
    with pytest.raises(DiagnosticError) as error:
        fetch([url], file, md5, untold)
    return error.value.problems[0]


def test_that_a_file_stands_at_its_place_when_it_is_whole(server, tmp_path):
    url, md5 = server.put("data.bin", CONTENT)
    told = []
    fetch([url], tmp_path / "new" / "data.bin", md5, lambda *state: told.append(state))
    assert (tmp_path / "new" / "data.bin").read_bytes() == CONTENT
    assert told[0] == ("download", "data.bin", 0, len(CONTENT))
    assert told[-1] == ("download", "data.bin", len(CONTENT), len(CONTENT))
    fetch([url], tmp_path / "new" / "data.bin", md5, untold)
    assert len(server.asked) == 1


def test_that_an_interrupted_download_is_continued_where_it_ended(server, tmp_path):
    url, md5 = server.put("data.bin", CONTENT)
    server.serve = made.cut_at(300_000)
    problem = refused(url, tmp_path / "data.bin", md5)
    assert problem.code == "D248"
    assert "0.3 MB" in sentence(problem)
    assert not (tmp_path / "data.bin").exists()
    server.serve = made.whole
    told = []
    fetch([url], tmp_path / "data.bin", md5, lambda *state: told.append(state))
    assert told[0][2] == 300_000
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["data.bin"]


def test_that_a_server_that_knows_no_parts_sends_all_again(server, tmp_path):
    url, md5 = server.put("data.bin", CONTENT)
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:1000])
    server.serve = made.cut_at(len(CONTENT))
    fetch([url], tmp_path / "data.bin", md5, untold)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("kept", [b"of another file", CONTENT + b"more", CONTENT])
def test_that_what_was_kept_of_another_file_does_no_harm(kept, server, tmp_path):
    url, md5 = server.put("data.bin", CONTENT)
    (tmp_path / "data.bin.part").write_bytes(kept)
    fetch([url], tmp_path / "data.bin", md5, untold)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_that_a_file_with_another_checksum_is_not_kept(server, tmp_path):
    url, _ = server.put("data.bin", b"<html>Please log in</html>")
    problem = refused(url, tmp_path / "data.bin", made.md5(CONTENT))
    assert problem.code == "D249"
    assert not list(tmp_path.iterdir())


def test_that_the_next_mirror_is_asked(server, tmp_path):
    url, md5 = server.put("data.bin", CONTENT)
    fetch([server.url + "gone", url], tmp_path / "data.bin", md5, untold)
    assert server.asked == ["/gone", "/data.bin"]


def test_that_what_is_not_there_is_told_with_a_way_out(server, tmp_path):
    problem = refused(server.url + "gone.bin", tmp_path / "data.bin", "")
    assert (problem.code, problem.params["status"]) == ("D247", 404)
    assert str(tmp_path) in sentence(problem)


def test_that_no_network_is_told_with_a_way_out(server, tmp_path):
    closed = "http://127.0.0.1:1/data.bin"
    problem = refused(closed, tmp_path / "new" / "data.bin", "")
    assert problem.code == "D246"
    assert not list(tmp_path.iterdir())
    assert "data.bin" in sentence(problem)
    assert str(tmp_path) in sentence(problem)


def test_that_a_server_that_falls_silent_is_told(server, tmp_path, monkeypatch):
    url, md5 = server.put("data.bin", CONTENT)
    monkeypatch.setattr(fetch_module, "_SILENCE_S", 0.2)

    def silent(request, content):
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[:1000])
        request.wfile.flush()
        server.released.wait(20)

    server.serve = silent
    assert refused(url, tmp_path / "data.bin", md5).code == "D248"


def test_that_a_redirection_to_a_file_of_the_user_is_not_followed(server, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("mine")
    server.put("data.bin", b"")

    def redirect(request, _content):
        request.send_response(302)
        request.send_header("Location", secret.as_uri())
        request.end_headers()

    server.serve = redirect
    refused(server.url + "data.bin", tmp_path / "data.bin", None)
    refused(secret.as_uri(), tmp_path / "data.bin", None)
    assert not (tmp_path / "data.bin").exists()


def test_that_a_file_without_room_for_it_is_not_begun(server, tmp_path, monkeypatch):
    url, md5 = server.put("data.bin", CONTENT)
    usage = fetch_module.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(fetch_module.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    problem = refused(url, tmp_path / "data.bin", md5)
    assert problem.code == "D251"
    assert f"({len(CONTENT) / 1e6:,.1f} MB)" in sentence(problem)
    assert not (tmp_path / "data.bin").exists()


def test_that_a_link_in_the_place_of_the_part_is_not_followed(server, tmp_path):
    url, md5 = server.put("data.bin", CONTENT)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "data.bin.part").symlink_to(victim)
    with pytest.raises(DiagnosticError):
        fetch([url], tmp_path / "data.bin", md5, untold)
    assert victim.read_text() == "mine"
