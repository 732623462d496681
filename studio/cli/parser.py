"""The commands and their options, and how a command ends: 0 fine, 1 failed, 2 wrong use."""

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TypeAlias

from engine.diagnostics import DiagnosticError
from studio.cli.argument_parser import CommandParser, OneLineParser
from studio.cli.asking import close_hosts
from studio.cli.data_options import add_data_options
from studio.cli.export_options import add_export_options
from studio.cli.finder_options import FIND_BATCH, FIND_RATE, add_rate_options
from studio.cli.generate_options import GENERATE, add_generate_options
from studio.cli.import_options import add_import_options
from studio.cli.input_fit import FIT_INPUTS, way_out, with_key
from studio.cli.lora_options import LORA, add_lora_options
from studio.cli.new_options import NEW, add_new_options
from studio.cli.output import in_words, summary, write_error
from studio.cli.predict_options import PREDICT, add_predict_options
from studio.cli.report_options import REPORT, add_report_options
from studio.cli.runs_options import add_runs_options
from studio.cli.serve_options import SERVE, add_serve_options
from studio.cli.train_options import (
    SETTING_NAMES,
    add_certify_options,
    add_remote_options,
    add_repeat_options,
    add_replay_option,
    add_roots,
    add_set_options,
    add_setting_options,
)
from studio.cli.view_options import add_view_options
from studio.cli.wording import said

_WRONG_USE = frozenset(
    {"K013", "P010", "P019", "P020", "P026", "P050", "P051", "P063", "R161", "R162"}
    | {"R197", "R198", "R199", "R312", "R322", "R400", "R422", "X003", "X005", "X012", "X050"}
)
_WAYS_OUT = frozenset({"P065", "D609", "D713", "D727"})
INTERRUPTED = 130


class UsageError(Exception):
    """The command was used in a way that cannot work; the message is one sentence."""


# What add_subparsers returns has no public name.
_Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def main(arguments: Sequence[str]) -> int:
    """Carry out a command and return the exit code."""
    try:
        parser = build_parser()
        options = parser.parse_args(list(arguments))
        if not hasattr(options, "command"):
            parser.error(said("a command is needed"))
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2
    try:
        return _carry_out(options)
    except BrokenPipeError:  # the reader of the output went away, as in "events | head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _carry_out(options: argparse.Namespace) -> int:
    module, _, function = str(options.command).partition(":")
    command: Callable[[argparse.Namespace], int] = getattr(import_module(module), function)
    try:
        return command(options)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        write_error(said("interrupted"))
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # a traceback is not the first thing to show
        code, text = _told(error, options)
        write_error(text)
        if options.debug:
            traceback.print_exception(error)
        return code
    finally:
        close_hosts()


def _told(error: Exception, options: argparse.Namespace) -> tuple[int, str]:
    """Return the exit code and the line for an error."""
    match error:
        case UsageError():
            return 2, str(error)
        case DiagnosticError():
            told = summary(error.problems)
            text = with_key(told, error.problems, options) + way_out(error.problems, options)
            ways = [in_words(each) for each in error.problems[1:] if each.code in _WAYS_OUT]
            text = " ".join((text, *ways))
            return 2 if error.problems[0].code in _WRONG_USE else 1, text
        case _:
            kind = type(error).__name__
            return 1, said(
                "unexpected {kind}: {error} (--debug shows where)", kind=kind, error=error
            )


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = OneLineParser(
        prog="main.py",
        usage="main.py [PROJECT]\n       main.py COMMAND ...",
        description="Trellis, a studio for PyTorch. Without a command, the window opens, with "
        "PROJECT if specified. Commands do not need a display.",
        epilog="Use “main.py COMMAND --help” for the options of a command. Exit codes: 0 success, "
        "1 failure, 2 wrong usage, 130 interrupted.",
    )
    commands = parser.add_subparsers(
        dest="name",
        metavar="COMMAND",
        title="commands",
        prog="main.py",
        parser_class=CommandParser,
    )
    _add_project_commands(commands)
    _add_run_commands(commands)
    _add_search_command(commands)
    _add_queue_command(commands)
    _add_weight_commands(commands)
    _add_report_command(commands)
    _add_finder_commands(commands)
    _add_machine_commands(commands)
    return parser


def _command(
    commands: _Commands,
    name: str,
    function: str,
    text: str,
    *,
    json: bool = False,
    project: bool = True,
    trust: bool = False,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.set_defaults(command=function)
    parser.add_argument("--debug", action="store_true", help="show where an error occurred")
    if project:
        parser.add_argument("project", metavar="PROJECT", help="project folder")
    if trust:
        parser.add_argument(
            "--trust",
            action="store_true",
            help="run the custom code of the project (review it first)",
        )
    if json:
        parser.add_argument("--json", action="store_true", help="print a single JSON document")
    return parser


def _add_project_commands(
    commands: _Commands,
) -> None:
    module = "studio.cli.project_command"
    _command(
        commands,
        "templates",
        f"{module}:templates",
        "List the templates.",
        json=True,
        project=False,
    )
    _add_new(commands)
    _command(
        commands,
        "check",
        f"{module}:check",
        "Show shapes, parameters and problems; exit code 1 if there are errors.",
        json=True,
        trust=True,
    )
    _add_import(commands)
    _command(commands, "code", f"{module}:code", "Print the source of the nn.Module.", trust=True)
    settings = _command(
        commands,
        "settings",
        "studio.cli.settings_command:settings",
        "List every setting that --set reaches: name, kind, value, default, limits and help.",
        json=True,
    )
    settings.add_argument("names", nargs="*", metavar="NAME", help=SETTING_NAMES)
    add_setting_options(settings)


def _add_new(commands: _Commands) -> None:
    module = "studio.cli.data_command"
    add_new_options(_command(commands, "new", f"{module}:new", NEW, json=True))
    data = _command(
        commands,
        "data",
        f"{module}:data",
        "Show fields, parts, statistics, edits and findings of the data, or edit samples (files "
        "stay as they are); exit code 1 if there are errors.",
        json=True,
        trust=True,
    )
    add_data_options(data)
    add_roots(data)


def _add_import(
    commands: _Commands,
) -> None:
    command = _command(
        commands,
        "import",
        "studio.cli.import_command:import_model",
        "Import a model with its weights: a torchvision model (resnet18) or a class in a Python "
        "file (net.py::Net; its code runs in a separate process).",
        project=False,
    )
    add_import_options(command)


def _add_run_commands(commands: _Commands) -> None:
    train = _command(
        commands,
        "train",
        "studio.cli.train_command:train",
        "Train. Ctrl+C stops and keeps everything.",
        json=True,
        trust=True,
    )
    train.add_argument(
        "--config",
        metavar="FILE",
        help="take the settings from a file: run.json of a run, project.json, or JSON such as "
        '{"epochs": 3, "optimizer.lr": 0.01}; --set changes them again',
    )
    _add_spec_options(train)
    add_roots(train)
    train.add_argument("--mode", choices=("process", "thread", "ddp", "fsdp", "dp"))
    train.add_argument(
        "--nproc", type=int, metavar="N", help="number of processes for ddp and fsdp"
    )
    train.add_argument("--resume", metavar="RUN|latest", help="resume a run")
    add_replay_option(train)
    train.add_argument("--name", help="name of the run")
    add_repeat_options(train)
    add_certify_options(train)
    train.add_argument(
        "--quiet",
        action="store_true",
        help="do not show progress; --folds and --seeds still end with their summary",
    )
    add_remote_options(train)
    _add_trust_machine(train)
    _add_cluster_command(commands)
    runs = _command(
        commands,
        "runs",
        "studio.cli.run_command:runs",
        "List the runs of a project, or of all recent ones, with their state and latest metrics.",
        json=True,
        project=False,
    )
    add_runs_options(runs)
    text = "Change values of a run that goes on; train --replay repeats them."
    add_set_options(_command(commands, "set", "studio.cli.live_command:set_values", text))
    events = _command(
        commands, "events", "studio.cli.run_command:events", "Print the events as JSON lines."
    )
    events.add_argument("run", metavar="RUN|latest")
    events.add_argument("--follow", action="store_true", help="continue until the run ends")


def _add_cluster_command(commands: _Commands) -> None:
    machines = _command(
        commands,
        "machines",
        "studio.cli.cluster_command:machines",
        "Create a run for several machines; print its ranks and the command for each machine.",
        json=True,
        trust=True,
    )
    machines.add_argument(
        "--nnodes",
        default="",
        metavar="N|LEAST:MOST",
        help="number of machines: 2, or 1:2 for one or two",
    )
    machines.add_argument("--nproc", type=int, default=1, metavar="N", help="processes per machine")
    machines.add_argument(
        "--address",
        default="",
        metavar="HOST:PORT",
        help="address of the first machine for the others; not needed with --slurm or --ssh-tunnel",
    )
    machines.add_argument(
        "--ssh-tunnel",
        nargs="+",
        default=[],
        metavar="USER@HOST[:PORT]",
        help="connect this machine, the first one, to each of the others through SSH (ssh -w)",
    )
    machines.add_argument(
        "--port", type=int, default=0, metavar="N", help="port for --ssh-tunnel (default: 29500)"
    )
    machines.add_argument("--slurm", metavar="FILE", help="write a Slurm batch script")
    machines.add_argument("--name", help="name of the run")


def _add_trust_machine(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--trust-machine",
        default="",
        metavar="[USER@]HOST[:PORT]",
        help="with --resume: allow signing in to this machine, which the run names",
    )


def _add_spec_options(command: argparse.ArgumentParser) -> None:
    """Add what sets a recipe for this time."""
    add_setting_options(command)
    command.add_argument(
        FIT_INPUTS,
        action="store_true",
        help="adapt the inputs of the model, and the rows of its embeddings, to the data as --set "
        "has it, for this run; a model that is still the proposed one is proposed anew where that "
        "is not enough",
    )
    command.add_argument("--device", metavar="cpu|cuda|auto")
    length = command.add_mutually_exclusive_group()
    length.add_argument("--epochs", metavar="N", help="end after N passes over the training set")
    length.add_argument("--steps", metavar="N", help="end after N steps of the optimizer")
    length.add_argument("--minutes", metavar="N", help="end after N minutes of training")
    command.add_argument("--seed", metavar="N")


def _add_search_command(
    commands: _Commands,
) -> None:
    search = _command(
        commands,
        "search",
        "studio.cli.search_command:search",
        "Search for better settings: each trial is a run. Ctrl+C stops and keeps everything.",
        json=True,
        trust=True,
    )
    search.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="search space: optimizer.lr=1e-4..1e-1:log, optimizer=Adam,SGD, "
        "model.hidden.out_features=8..64:8 (in steps of 8), ...",
    )
    search.add_argument("--trials", type=int, metavar="N", help="number of runs (default: 20)")
    search.add_argument("--method", default="tpe", choices=("tpe", "random", "grid"))
    search.add_argument("--pruner", default="median", choices=("median", "none"))
    search.add_argument(
        "--metric", metavar="NAME", help="metric to optimize (default: that of the best checkpoint)"
    )
    search.add_argument("--direction", choices=("min", "max"))
    search.add_argument(
        "--parallel", type=int, default=1, metavar="N", help="number of parallel trials"
    )
    _add_spec_options(search)
    add_roots(search)
    search.set_defaults(mode=None, nproc=None)
    search.add_argument("--resume", metavar="SEARCH|latest", help="continue a search")
    _add_trust_machine(search)
    search.add_argument("--list", action="store_true", help="list the searches")
    search.add_argument("--name", help="name of the search")
    search.add_argument("--quiet", action="store_true", help="do not show progress")


def _add_queue_command(commands: _Commands) -> None:
    queue = _command(
        commands,
        "queue",
        "studio.cli.queue_command:queue",
        "Manage the queue of runs: add PROJECT · list · remove ENTRY · up ENTRY · "
        "down ENTRY · retry ENTRY · pause · resume · parallel N (0: one per GPU) · wait.",
        json=True,
        project=False,
        trust=True,
    )
    ordering = ("add", "list", "remove", "up", "down", "retry")
    actions = (*ordering, "pause", "resume", "parallel", "wait")
    queue.add_argument("action", choices=actions)
    queue.add_argument("arguments", nargs="*", metavar="PROJECT|ENTRY|N")
    _add_spec_options(queue)
    queue.set_defaults(mode=None, nproc=None)
    queue.add_argument("--name", help="name of the run")
    add_repeat_options(queue)


def _add_finder_commands(commands: _Commands) -> None:
    for name, text in (("rate", FIND_RATE), ("batch", FIND_BATCH)):
        function = f"studio.cli.finder_command:find_{name}"
        command = _command(commands, f"find-{name}", function, text, json=True, trust=True)
        _add_spec_options(command)
        add_roots(command)
        command.set_defaults(mode=None, nproc=None)
        if name == "rate":
            add_rate_options(command)


def _add_weight_commands(commands: _Commands) -> None:
    module = "studio.cli.weight_command"
    text = "Compute loss and metrics of a checkpoint on a split of the data."
    evaluate = _command(commands, "evaluate", f"{module}:evaluate", text, json=True, trust=True)
    add_roots(evaluate)
    evaluate.add_argument("--run", required=True, metavar="RUN|latest")
    evaluate.add_argument("--split", default="test", choices=("train", "validation", "test"))
    text = "Export the weights of a run."
    function = f"{module}:export"
    export = _command(commands, "export", function, text, json=True, project=False, trust=True)
    add_export_options(export)
    function = "studio.cli.predict_command:predict"
    predict = _command(commands, "predict", function, PREDICT, json=True, trust=True)
    add_predict_options(predict)
    add_roots(predict)
    function = "studio.cli.generate_command:generate"
    generate = _command(commands, "generate", function, GENERATE, json=True, trust=True)
    add_generate_options(generate)
    add_roots(generate)
    lora = _command(commands, "lora", "studio.cli.lora_command:lora", LORA, json=True, trust=True)
    add_lora_options(lora)
    for command in (evaluate, predict):
        add_view_options(command)
    function = "studio.cli.serve_command:serve"
    serve = _command(commands, "serve", function, SERVE, json=True, trust=True)
    add_serve_options(serve)
    for command in (evaluate, export, predict, generate, lora, serve):
        text = "checkpoint; best:raw and best:averaged choose the weights of a run that averages"
        metavar = "best|last|FILE[:raw|:averaged]"
        command.add_argument("--checkpoint", default="best", metavar=metavar, help=text)


def _add_report_command(commands: _Commands) -> None:
    function = "studio.cli.report_command:report"
    report = _command(commands, "report", function, REPORT, json=True, trust=True)
    add_report_options(report)


def _add_machine_commands(commands: _Commands) -> None:
    module = "studio.cli.machine_command"
    _command(
        commands,
        "doctor",
        f"{module}:doctor",
        "Check what this machine has, what is missing and how to fix it.",
        json=True,
        project=False,
    )
    known = _command(
        commands,
        "known-machines",
        "studio.cli.known_machine_command:known_machines",
        "List the machines that your SSH keys can sign in to, or forget some of them.",
        json=True,
        project=False,
    )
    known.add_argument(
        "--forget",
        nargs="+",
        default=[],
        metavar="[USER@]HOST[:PORT]",
        help="ask again before a run there continues; nothing is stopped or deleted there",
    )
    shot = _command(
        commands, "screenshot", f"{module}:screenshot", "Save a screenshot of the window."
    )
    shot.add_argument("--workspace", required=True, metavar="NAME")
    shot.add_argument("--output", required=True, metavar="FILE.png")
    shot.add_argument("--size", default="1440x900", metavar="WxH")
    shot.add_argument("--theme", default="light", choices=("light", "dark"))
    shot.add_argument("--lang", default="en", choices=("en", "zh_CN"))
    shot.add_argument(
        "--press",
        action="append",
        default=[],
        metavar="NAME[=TEXT]",
        help="press a button, choose an entry of a list or type into a field before, by object "
        "name (repeatable); a dialog that opens is taken alone",
    )
