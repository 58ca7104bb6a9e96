"""How fair a run was."""
