"""The command that continues a text."""

import numpy as np
import pytest

LETTERS = "abcdefgh"


@pytest.fixture
def reader(run, tmp_path):
    """Return a project with a trained language model that has seen the alphabet."""
    file = tmp_path / "letters.txt"
    file.write_text(LETTERS * 400, encoding="utf-8")
    folder = tmp_path / "reader"
    assert run("new", folder, "--data", file, "--quiet").code == 0
    quick = ("--mode", "thread", "--set", "threads=1", "--quiet", "--epochs", "8")
    assert run("train", folder, *quick, "--set", "optimizer.lr=0.02").code == 0
    return folder


def test_that_a_text_is_continued_as_often_in_the_same_way(run, reader):
    done = run("generate", reader, "abc", "--temperature", "0", "--tokens", "12")
    assert (done.code, done.err, done.out) == (0, "", "abcdefghabcdefg\n")
    stopped = run("generate", reader, "abc", "--temperature", "0", "--stop", "gh", "--json").json()
    assert (stopped["before"], stopped["text"]) == ("abc", "def")
    drawn = ("--temperature", "5", "--seed", "3", "--tokens", "40")
    first, again = (run("generate", reader, "abc", *drawn).out for _ in range(2))
    assert first == again
    assert len(first) == len("abc") + 40 + len("\n")
    assert run("generate", reader, "abc", *drawn[:3], "4", *drawn[4:]).out != first


@pytest.mark.parametrize(
    "wrong",
    [("--temperature", "-1"), ("--temperature", "nan"), ("--top-k", "-1"), ("--tokens", "0")],
)
def test_that_settings_that_cannot_be_are_told_before_anything_is_loaded(run, project, wrong):
    done = run("generate", project, "abc", *wrong)
    assert (done.code, done.out) == (2, "")
    assert f"{wrong[0]} {float(wrong[1]) if 'temp' in wrong[0] else wrong[1]}" in done.err


def test_that_a_model_without_text_is_told(run, project):
    quick = ("--epochs", "1", "--mode", "thread", "--set", "threads=1", "--quiet")
    assert run("train", project, *quick).code == 0
    done = run("generate", project, "abc")
    assert (done.code, done.out) == (1, "")
    assert "does not write text" in done.err


@pytest.mark.row("P19")
def test_that_an_autoencoder_writes_images_of_random_points(run, tmp_path):
    folder, files = tmp_path / "digits", [tmp_path / name for name in ("one.npy", "two.npy")]
    assert run("new", folder, "--template", "vae-digits", "--quiet").code == 0
    quick = ("--mode", "thread", "--set", "threads=1", "--quiet", "--epochs", "1")
    assert run("train", folder, *quick).code == 0
    for seed, file in enumerate(files):
        done = run("generate", folder, "--samples", "12", "--seed", str(seed), "--output", file)
        assert (done.code, done.err) == (0, "")
        assert str(file) in done.out
    made, other = (np.load(file) for file in files)
    assert made.shape == (12, 1, 8, 8)
    assert (made != other).any()
    told = run("generate", folder, "--samples", "3", "--output", tmp_path / "x.png", "--json")
    assert told.json()["shape"] == [3, 1, 8, 8]
    assert (tmp_path / "x.png").exists()
    for name, value in (("--steps", "4"), ("--eta", "0"), ("--beams", "2")):
        refused = run("generate", folder, name, value, "--output", tmp_path / "y.png")
        assert refused.code == 2
        assert name in refused.err
        assert "--samples, --seed, --output" in refused.err
    assert not (tmp_path / "y.png").exists()


@pytest.fixture
def diffusion(run, tmp_path):
    """Return a project with a diffusion model that was trained a little."""
    folder = tmp_path / "moons"
    assert run("new", folder, "--template", "diffusion-moons", "--quiet").code == 0
    quick = ("--mode", "thread", "--set", "threads=1", "--quiet", "--epochs", "1")
    assert run("train", folder, *quick).code == 0
    return folder


@pytest.mark.row("P19")
def test_that_a_diffusion_model_writes_the_same_samples_for_the_same_seed(run, diffusion, tmp_path):
    files = [tmp_path / name for name in ("one.npy", "two.npy", "three.npy")]
    for file, seed in zip(files, ("0", "0", "1"), strict=True):
        wanted = ("--samples", "30", "--steps", "4", "--seed", seed, "--output", file)
        done = run("generate", diffusion, *wanted)
        assert (done.code, done.err) == (0, "")
        assert str(file) in done.out
        assert "energy distance to held-out data" in done.out
    made, again, other = (np.load(file) for file in files)
    assert (made.shape, made.dtype) == ((30, 2), np.float32)
    assert (made == again).all()
    assert (made != other).any()
    few = ("--samples", "5", "--steps", "2", "--output", files[0], "--json")
    told = run("generate", diffusion, *few).json()
    assert (told["field"], told["shape"]) == ("point", [5, 2])
    mixed = ("--output", files[0], "--top-k", "3")
    for wrong in (("--output", "x.txt"), ("text", "--output", files[0]), ("--eta", "2"), mixed):
        assert run("generate", diffusion, *wrong).code == 2


@pytest.mark.row("P19")
def test_that_the_generator_of_a_gan_writes_the_same_samples_for_the_same_seed(run, tmp_path):
    folder, files = tmp_path / "gan", [tmp_path / f"{name}.npy" for name in ("one", "two", "three")]
    assert run("new", folder, "--template", "gan-moons", "--quiet").code == 0
    quick = ("--mode", "thread", "--set", "threads=1", "--quiet", "--epochs", "1")
    assert run("train", folder, *quick).code == 0
    for seed, file in zip(("0", "0", "1"), files, strict=True):
        done = run("generate", folder, "--samples", "30", "--seed", seed, "--output", file)
        assert (done.code, done.err) == (0, "")
        assert "energy distance to held-out data" in done.out
    made, again, other = (np.load(file) for file in files)
    assert (made.shape, made.dtype) == ((30, 2), np.float32)
    assert (made == again).all()
    assert (made != other).any()
    refused = run("generate", folder, "--steps", "4", "--output", files[0])
    assert refused.code == 2
    assert "the generator of a GAN has no such option" in refused.err
