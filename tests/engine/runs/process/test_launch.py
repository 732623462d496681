"""How a worker is asked to train a run."""

from engine.runs.process.launch import Launch, launch_from_line, worker_arguments


def test_that_a_launch_says_the_same_as_a_line_and_on_the_command_line():
    launch = Launch(
        folder="/runs/a", resume="latest", length=7, learning_rate=0.0005, commands_from=0
    )
    assert launch_from_line(launch.to_line()) == launch
    arguments = worker_arguments(launch)
    assert arguments[arguments.index("--learning-rate") + 1] == "0.0005"
    assert arguments[arguments.index("--length") + 1] == "7"
    assert arguments[arguments.index("--commands-from") + 1] == "0"


def test_that_a_plain_launch_changes_nothing_of_the_run():
    arguments = worker_arguments(Launch(folder="/runs/a"))
    assert not {"--length", "--learning-rate", "--resume", "--commands-from"} & set(arguments)
