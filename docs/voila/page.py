"""Voila of `python3 dev.py explore`: with a token, and for this machine's names only."""

from voila.app import Voila


def without_the_task(request, notebook, cwd):
    """Leave the cells that are no part of the explorer out of the page of a request."""
    _ = request.xsrf_token  # sets the cookie with which a page that is closed ends its kernel
    course = {"task", "test"}
    notebook.cells = [
        c for c in notebook.cells if course.isdisjoint(c.metadata.get("tags", []))
    ]
    return notebook


class Page(Voila):
    """Voila that makes a token, and refuses requests under a foreign name (DNS rebinding)."""

    auto_token = True

    def initialize(self, argv=None):
        """Read the settings, and leave the task of the course out of the page."""
        super().initialize(argv)
        self.voila_configuration.prelaunch_hook = without_the_task

    def init_settings(self):
        """Settings of the server, with the check of names that Voila switches off."""
        names = {"allow_remote_access": False, "local_hostnames": ["localhost"]}
        return {**super().init_settings(), **names}


if __name__ == "__main__":
    Page.launch_instance()
