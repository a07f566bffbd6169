"""Another end, or other settings, for a run that has begun.

Whatever depends on the share of the run that is over (the learning rate, the searches, when the network grows) goes on as it
would at this point of a run that had this end from the beginning. A network that has grown stays so.
"""

from collections.abc import Sequence

from boardzero.errors import BadInput
from boardzero.settings.changes import apply_changes
from boardzero.settings.run import RunSettings
from boardzero.training.lock import FolderLock
from boardzero.training.run_folder import RunFolder, Say

CHANGEABLE = ("search", "selfplay", "replay", "training", "evaluation", "keep_every")  # all else, the folder's files rest on


def change_run(
    folder: RunFolder, say: Say, *, minutes: float | None = None, generations: int | None = None, changes: Sequence[str] = ()
) -> None:
    """Let a run end after so many minutes or generations in all, and change settings as `key.key=value`.

    An end that it has reached already, and changes of what its files rest on, are refused (BadInput).
    say: hears of settings that were damaged.
    """
    if minutes is not None and generations is not None:
        raise BadInput("A run ends after a number of minutes or of generations, not both.")
    for change in changes:
        if change.partition("=")[0].strip().partition(".")[0] not in CHANGEABLE:
            raise BadInput(f"'{change}' cannot be changed in a run that has begun; {', '.join(CHANGEABLE)} can.")
    before = folder.settings()
    end = {} if minutes is None and generations is None else {"minutes": minutes, "generations": generations}
    settings = apply_changes(RunSettings, before.model_dump() | end, changes)
    lock = FolderLock(folder.path)
    try:
        done = [event for event in folder.read_events() if event.get("event") == "GenerationDone"]
        if done and minutes is not None and done[-1]["seconds"] >= 60 * minutes:
            raise BadInput(f"The run in '{folder.path}' has {done[-1]['seconds'] / 60:.1f} minutes behind it: say more in all.")
        if done and generations is not None and done[-1]["generation"] >= generations:
            raise BadInput(f"The run in '{folder.path}' has {done[-1]['generation']} generations behind it: say more in all.")
        folder.mend_settings(before, say)
        folder.save_settings(settings)
    finally:
        lock.release()
