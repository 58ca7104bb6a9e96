"""The command line, ``python -m fairness_lib``: one module a subcommand."""
