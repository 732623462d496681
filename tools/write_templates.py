"""Write the templates of ``tools/templates/`` to ``resources/templates/``.

Run it from the root of the repository, after a change there::

    python -m tools.write_templates

``tests/resources/test_templates.py`` fails until the files agree with what this makes. The first
templates, which are not in ``tools/templates/``, are kept by hand.
"""

import json
from pathlib import Path

from engine.files import atomic_write
from engine.project.document import ProjectDocument, encode
from tools.templates.autoencoder import autoencoder_templates
from tools.templates.composed import composed_templates
from tools.templates.data_note import data_note
from tools.templates.diffusion import diffusion_templates
from tools.templates.draft import Template
from tools.templates.gan import gan_templates
from tools.templates.image import image_templates
from tools.templates.multitask import multitask_templates
from tools.templates.own_code import own_code_templates
from tools.templates.pretrained import pretrained_templates
from tools.templates.sequence import sequence_templates
from tools.templates.siamese import siamese_templates
from tools.templates.table import table_templates

FOLDER = Path(__file__).parents[1] / "resources" / "templates"
SOURCES = (
    image_templates,
    table_templates,
    sequence_templates,
    composed_templates,
    gan_templates,
    diffusion_templates,
    autoencoder_templates,
    siamese_templates,
    multitask_templates,
    own_code_templates,
    pretrained_templates,
)


def contents() -> dict[str, bytes]:
    """Return what every written file should hold, by its path under the folder of templates."""
    files: dict[str, bytes] = {}
    for source in SOURCES:
        for template in source():
            document = ProjectDocument(graph=template.graph, spec=template.spec)
            files[f"{template.name}/project.json"] = encode(document)
            files[f"{template.name}/template.json"] = _card(template)
            for name, text in template.graph.code.items():
                files[f"{template.name}/code/{name}"] = text.encode()
    return files


def main() -> None:
    """Write all files."""
    for name, content in contents().items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        atomic_write(FOLDER / name, content)
        print(f"{name}: {len(content)} bytes")


def _card(template: Template) -> bytes:
    notes = zip(data_note(template.spec.data.source.type), template.weights, strict=True)
    data = ["\n".join(filter(None, each)) for each in notes]
    card = {
        "title": dict(zip(("en", "zh_CN"), template.title, strict=True)),
        "description": dict(zip(("en", "zh_CN"), template.description, strict=True)),
        "data": dict(zip(("en", "zh_CN"), data, strict=True)),
        "group": template.group,
        "task": template.task,
        "minutes": template.minutes,
        "order": template.order,
    }
    return (json.dumps(card, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


if __name__ == "__main__":
    main()
