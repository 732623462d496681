"""What publishes small sets of torchvision that are files of pictures, in their real formats."""

import csv
import io
import json

import numpy as np
import pytest
import scipy.io
from PIL import Image

from engine.data.fetch.fetch import fetch
from engine.data.source.vision import download
from tests import vision_files as made

datasets = pytest.importorskip("torchvision.datasets")

COUNT = 6
"""Pictures of a part, or of a class."""

VARIANTS = {
    "Imagenette": "160px",
    "INaturalist": "2021_train_mini",
    "Omniglot": "background",
    "Places365": "256px",
}
"""The variant that is published."""


def matrix(**arrays):
    room = io.BytesIO()
    scipy.io.savemat(room, arrays)
    return room.getvalue()


def flowers(server, monkeypatch):
    cls = datasets.Flowers102
    count = 3 * COUNT
    images = {f"jpg/image_{number:05d}.jpg": made.jpeg(number) for number in range(1, count + 1)}
    ids = np.arange(1, count + 1).reshape(3, COUNT)
    files = {
        "102flowers.tgz": made.tar_gz(images),
        "imagelabels.mat": matrix(labels=np.arange(count) % 2 + 1),
        "setid.mat": matrix(trnid=ids[0], valid=ids[1], tstid=ids[2]),
    }
    for name, content in files.items():
        server.put(name, content)
    listed = {key: (name, made.md5(files[name])) for key, (name, _) in cls._file_dict.items()}
    monkeypatch.setattr(cls, "_file_dict", listed)
    monkeypatch.setattr(cls, "_download_url_prefix", server.url)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def textures(server, monkeypatch):
    files = {}
    for at, part in enumerate(("train", "val", "test")):
        names = [f"{'dots' if n % 2 else 'lines'}/{part}_{n}.jpg" for n in range(COUNT)]
        files |= {f"dtd/images/{name}": made.jpeg(at * COUNT + n) for n, name in enumerate(names)}
        files[f"dtd/labels/{part}1.txt"] = "\n".join(names).encode()
    url, digest = server.put("dtd.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.DTD, "_URL", url)
    monkeypatch.setattr(datasets.DTD, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def food(server, monkeypatch):
    files, lists = {}, {}
    for at, part in enumerate(("train", "test")):
        lists = {"soup": [], "cake": []}
        for number in range(COUNT):
            name = f"{'soup' if number % 2 else 'cake'}/{at}{number}"
            lists[name.partition("/")[0]].append(name)
            files[f"food-101/images/{name}.jpg"] = made.jpeg(number)
        files[f"food-101/meta/{part}.json"] = json.dumps(lists).encode()
    url, digest = server.put("food-101.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.Food101, "_URL", url)
    monkeypatch.setattr(datasets.Food101, "_MD5", digest)
    return {"train": COUNT, "test": COUNT}


def pets(server, monkeypatch):
    images, notes = {}, {}
    for at, part in enumerate(("trainval", "test")):
        lines = []
        for number in range(COUNT):
            name = f"{'Bengal' if number % 2 else 'great_pyrenees'}_{at}{number}"
            images[f"images/{name}.jpg"] = made.jpeg(number)
            lines.append(f"{name} {number % 2 + 1} {number % 2 + 1} 1")
        notes[f"annotations/{part}.txt"] = "\n".join(lines).encode()
    resources = [
        server.put("images.tar.gz", made.tar_gz(images)),
        server.put("annotations.tar.gz", made.tar_gz(notes)),
    ]
    monkeypatch.setattr(datasets.OxfordIIITPet, "_RESOURCES", resources)
    return {"train": COUNT, "test": COUNT}


def addressed(server, monkeypatch, files):
    """Serve archives, and have a module with addresses in its code ask there for them."""
    digests = {name: server.put(name, content) for name, content in files.items()}

    def fetch_here(urls, file, md5, tell):
        assert md5
        name = urls[0].rpartition("/")[2]
        fetch((server.url + name,), file, digests[name][1], tell)

    monkeypatch.setattr(download, "fetch", fetch_here)


def satellite(server, monkeypatch):
    files = {
        f"2750/{'River' if number % 2 else 'Forest'}/{number}.jpg": made.jpeg(number)
        for number in range(2 * COUNT)
    }
    addressed(server, monkeypatch, {"EuroSAT.zip": made.zip_of(files)})
    return {None: 2 * COUNT}


def signs(server, monkeypatch):
    def picture(seed):
        room = io.BytesIO()
        Image.fromarray(made.pictures(1, 9, 3, seed)[0]).save(room, "PPM")
        return room.getvalue()

    training = {
        f"GTSRB/Training/{number % 2:05d}/{number:05d}.ppm": picture(number)
        for number in range(COUNT)
    }
    test = {f"GTSRB/Final_Test/Images/{n:05d}.ppm": picture(n) for n in range(COUNT)}
    text = io.StringIO()
    rows = csv.writer(text, delimiter=";")
    rows.writerow(["Filename", "ClassId"])
    rows.writerows([f"{number:05d}.ppm", number % 2] for number in range(COUNT))
    files = {
        "GTSRB-Training_fixed.zip": made.zip_of(training),
        "GTSRB_Final_Test_Images.zip": made.zip_of(test),
        "GTSRB_Final_Test_GT.zip": made.zip_of({"GT-final_test.csv": text.getvalue().encode()}),
    }
    addressed(server, monkeypatch, files)
    return {"train": COUNT, "test": COUNT}


def countries(server, monkeypatch):
    files = {
        f"country211/{part}/{'CN' if number % 2 else 'AT'}/{number}.jpg": made.jpeg(number)
        for part in ("train", "valid", "test")
        for number in range(COUNT)
    }
    url, digest = server.put("country211.tgz", made.tar_gz(files))
    monkeypatch.setattr(datasets.Country211, "_URL", url)
    monkeypatch.setattr(datasets.Country211, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def sentences(server, monkeypatch):
    files = {
        f"rendered-sst2/{part}/{'positive' if n % 2 else 'negative'}/{n}.png": made.jpeg(n)
        for part in ("train", "valid", "test")
        for n in range(COUNT)
    }
    url, digest = server.put("rendered-sst2.tgz", made.tar_gz(files))
    monkeypatch.setattr(datasets.RenderedSST2, "_URL", url)
    monkeypatch.setattr(datasets.RenderedSST2, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def aircraft(server, monkeypatch):
    base = "fgvc-aircraft-2013b"
    files = {f"{base}/data/variants.txt": b"707-320\nA300B4\n"}
    for at, part in enumerate(("train", "val", "test")):
        names = [f"{at}{number:06d}" for number in range(COUNT)]
        files |= {f"{base}/data/images/{n}.jpg": made.jpeg(int(n)) for n in names}
        lines = [f"{n} {('707-320', 'A300B4')[at2 % 2]}" for at2, n in enumerate(names)]
        files[f"{base}/data/images_variant_{part}.txt"] = "\n".join(lines).encode()
    url, _ = server.put(f"{base}.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.FGVCAircraft, "_URL", url)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def imagenette(server, monkeypatch):
    files = {
        f"imagenette2-160/{part}/{'n01440764' if n % 2 else 'n02102040'}/{n}.JPEG": made.jpeg(n)
        for part in ("train", "val")
        for n in range(COUNT)
    }
    address = server.put("imagenette2-160.tgz", made.tar_gz(files))
    monkeypatch.setattr(datasets.Imagenette, "_ARCHIVES", {"160px": address})
    return {"train": COUNT, "validation": COUNT}


def places(server, monkeypatch):
    files = {"SUN397/ClassName.txt": b"/a/abbey\n/z/zoo\n"}
    for n in range(2 * COUNT):
        files[f"SUN397/{'a/abbey' if n % 2 else 'z/zoo'}/sun_{n}.jpg"] = made.jpeg(n)
    url, digest = server.put("SUN397.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.SUN397, "_DATASET_URL", url)
    monkeypatch.setattr(datasets.SUN397, "_DATASET_MD5", digest)
    return {None: 2 * COUNT}


def caltech_101(server, monkeypatch):
    """Publish an archive with two archives in it, as Caltech does."""
    start = "101_ObjectCategories"
    files = {f"{start}/BACKGROUND_Google/image_0001.jpg": made.jpeg(99)}
    for n in range(2 * COUNT):
        name = f"{'ant' if n % 2 else 'accordion'}/image_{n // 2 + 1:04d}.jpg"
        files[f"{start}/{name}"] = made.jpeg(n)
    inner = {
        "caltech-101/101_ObjectCategories.tar.gz": made.tar_gz(files),
        "caltech-101/Annotations.tar": b"of no interest",
    }
    addressed(server, monkeypatch, {"caltech-101.zip": made.zip_of(inner)})
    return {None: 2 * COUNT}


def caltech_256(server, monkeypatch):
    names = ("001.ak47", "002.american-flag")
    files = {
        f"256_ObjectCategories/{names[n % 2]}/{n % 2 + 1:03d}_{n // 2 + 1:04d}.jpg": made.jpeg(n)
        for n in range(2 * COUNT)
    }
    files["256_ObjectCategories/002.american-flag/RENAME2"] = b"a file that is no picture"
    addressed(server, monkeypatch, {"256_ObjectCategories.tar": made.tar(files)})
    return {None: 2 * COUNT}


def scenes(server, monkeypatch):
    """Publish scenes with no object, or with one."""
    files = {}
    for part in ("train", "val"):
        names = [f"CLEVR_{part}_{number:06d}.png" for number in range(COUNT)]
        files |= {f"CLEVR_v1.0/images/{part}/{n}": made.jpeg(at) for at, n in enumerate(names)}
        scenes = [
            {"image_filename": name, "objects": [{"shape": "cube"}] * (at % 2)}
            for at, name in enumerate(names)
        ]
        content = json.dumps({"info": {}, "scenes": scenes}).encode()
        files[f"CLEVR_v1.0/scenes/CLEVR_{part}_scenes.json"] = content
    files["CLEVR_v1.0/images/test/CLEVR_test_000000.png"] = made.jpeg(1)
    url, digest = server.put("CLEVR_v1.0.zip", made.zip_of(files))
    monkeypatch.setattr(datasets.CLEVRClassification, "_URL", url)
    monkeypatch.setattr(datasets.CLEVRClassification, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT}


def species(server, monkeypatch):
    module = datasets.inaturalist
    names = (
        "00000_Animalia_Annelida_Clitellata_Haplotaxida_Lumbricidae_Lumbricus_terrestris",
        "00001_Plantae_Bryophyta_Bryopsida_Hypnales_Hypnaceae_Hypnum_cupressiforme",
    )
    urls, digests = {}, {}
    for version, folder in (("2021_train_mini", "train_mini"), ("2021_valid", "val")):
        files = {f"{folder}/{names[n % 2]}/{n}.jpg": made.jpeg(n) for n in range(COUNT)}
        packed = made.tar_gz(files)
        urls[version], digests[version] = server.put(f"{folder}.tar.gz", packed)
    monkeypatch.setattr(module, "DATASET_URLS", urls)
    monkeypatch.setattr(module, "DATASET_MD5", digests)
    return {"train": COUNT, "validation": COUNT}


def characters(server, monkeypatch):
    files = {
        f"images_background/Greek/character{n % 2 + 1:02d}/{n:04d}_01.png": made.jpeg(n)
        for n in range(2 * COUNT)
    }
    _, digest = server.put("images_background.zip", made.zip_of(files))
    monkeypatch.setattr(datasets.Omniglot, "download_url_prefix", server.url.rstrip("/"))
    monkeypatch.setattr(datasets.Omniglot, "zips_md5", {"images_background": digest})
    return {None: 2 * COUNT}


def scenery(server, monkeypatch):
    cls = datasets.Places365
    lists = {"categories_places365.txt": b"/a/airfield 0\n/z/zen_garden 1\n"}
    training = [(f"/{'az'[n % 2]}/{'airfield' if n % 2 == 0 else 'zen_garden'}/{n:08d}.jpg", n % 2)
                for n in range(COUNT)]  # fmt: skip
    validation = [(f"Places365_val_{n:08d}.jpg", n % 2) for n in range(COUNT)]
    for key, rows in (("places365_train_standard", training), ("places365_val", validation)):
        lists[f"{key}.txt"] = "".join(f"{name} {label}\n" for name, label in rows).encode()
    archives = {
        "filelist_places365-standard.tar": made.tar(lists),
        "train_256_places365standard.tar": made.tar(
            {f"data_256{name}": made.jpeg(at) for at, (name, _) in enumerate(training)}
        ),
        "val_256.tar": made.tar(
            {f"val_256/{name}": made.jpeg(at) for at, (name, _) in enumerate(validation)}
        ),
    }
    digests = {name: server.put(name, content)[1] for name, content in archives.items()}
    kit = ("filelist_places365-standard.tar", digests["filelist_places365-standard.tar"])
    files = {
        key: (f"{name}.txt", made.md5(lists[f"{name}.txt"]))
        for key, name in (("train-standard", "places365_train_standard"), ("val", "places365_val"))
    }
    images = {
        (part, True): (name, digests[name])
        for part, name in (
            ("train-standard", "train_256_places365standard.tar"),
            ("val", "val_256.tar"),
        )
    }
    monkeypatch.setattr(cls, "_BASE_URL", server.url)
    monkeypatch.setattr(cls, "_DEVKIT_META", {"standard": kit})
    categories = "categories_places365.txt"
    monkeypatch.setattr(cls, "_CATEGORIES_META", (categories, made.md5(lists[categories])))
    monkeypatch.setattr(cls, "_FILE_LIST_META", files)
    monkeypatch.setattr(cls, "_IMAGES_META", images)
    return {"train": COUNT, "validation": COUNT}


PUBLISH = {
    "Caltech101": caltech_101,
    "Caltech256": caltech_256,
    "CLEVRClassification": scenes,
    "Country211": countries,
    "DTD": textures,
    "EuroSAT": satellite,
    "FGVCAircraft": aircraft,
    "Flowers102": flowers,
    "Food101": food,
    "GTSRB": signs,
    "Imagenette": imagenette,
    "INaturalist": species,
    "Omniglot": characters,
    "OxfordIIITPet": pets,
    "Places365": scenery,
    "RenderedSST2": sentences,
    "SUN397": places,
}
