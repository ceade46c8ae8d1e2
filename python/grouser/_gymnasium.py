"""Registers the tasks of grouser.env with Gymnasium, so that gymnasium.make("grouser/SlopeClimb-v0") finds them.

Versions before 1.0 call register() by the entry point `gymnasium.envs` of the installed package, while they are being
imported themselves: nothing here imports grouser.env. Later versions need `import grouser.env` before make().
"""

TASKS = ("SlopeClimb", "PathFollow", "TrapEscape")


def register():
    """Adds the tasks that Gymnasium does not have yet."""
    from gymnasium.envs.registration import register as add
    from gymnasium.envs.registration import registry

    for task in TASKS:
        name = f"grouser/{task}-v0"
        if name not in registry:
            add(id=name, entry_point=f"grouser.env:{task}")
