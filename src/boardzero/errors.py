"""The one exception that means: the user gave something that cannot be taken."""


class BadInput(ValueError):
    """Bad input from outside; its message is one clear sentence that names what was wrong and what is allowed.

    The command line prints the sentence and exits with code 2; the page answers with a 4xx and the sentence.
    """
