"""Another end for a run that has begun.

Whatever depends on the share of the run that is over (the learning rate, the searches, when the network grows) goes on as it
would at this point of a run that had this end from the beginning. A network that has grown stays so.
"""

from boardzero.errors import BadInput
from boardzero.settings.run import RunSettings
from boardzero.settings.specification import parse_parameters
from boardzero.training.lock import FolderLock
from boardzero.training.run_folder import RunFolder, Say


def change_end(folder: RunFolder, minutes: float | None, generations: int | None, say: Say) -> None:
    """Let a run end after so many minutes or generations in all; one that it has reached already is refused (BadInput).

    say: hears of settings that were damaged.
    """
    if minutes is not None and generations is not None:
        raise BadInput("A run ends after a number of minutes or of generations, not both.")
    before = folder.settings()
    settings = parse_parameters(RunSettings, before.model_dump() | {"minutes": minutes, "generations": generations}, "settings")
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
