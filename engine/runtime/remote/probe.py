"""What runs there before this program does: a look at the machine, and unpacking the program.

The texts are plain Python of any version from 3.6 on, given to the interpreter with ``-c``.
"""

PROBE = """
import importlib.util, json, os, platform, shutil, subprocess, sys
folder, program, names = os.path.expanduser(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
report = {"python": platform.python_version(), "missing": [], "gpus": []}
report["missing"] = [name for name in names if importlib.util.find_spec(name) is None]
os.makedirs(folder, exist_ok=True)
report["folder"] = os.path.abspath(folder)
report["free"] = shutil.disk_usage(folder).free
report["has_program"] = os.path.isdir(os.path.join(folder, program))
if shutil.which("nvidia-smi"):
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    told = subprocess.run(query, stdout=subprocess.PIPE, universal_newlines=True)
    report["gpus"] = told.stdout.splitlines() if told.returncode == 0 else []
if "torch" not in report["missing"]:
    from importlib import metadata
    report["torch"] = metadata.version("torch")
print(json.dumps(report))
"""
"""Arguments: the folder, the name of the program's folder in it, the packages that are needed."""

UNPACK = """
import io, os, shutil, sys, tarfile
target = sys.argv[1]
fresh = "%s.%d" % (target, os.getpid())
try:
    with tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read())) as archive:
        archive.extractall(fresh)
    os.rename(fresh, target)
except OSError:
    shutil.rmtree(fresh, ignore_errors=True)
    if not os.path.isdir(target):
        raise
"""
"""Argument: the folder to be made; the archive comes on standard input."""
