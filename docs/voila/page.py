"""Voila of `python3 dev.py explore`: with a token, and for this machine's names only."""

from voila.app import Voila


class Page(Voila):
    """Voila that makes a token, and refuses requests under a foreign name (DNS rebinding)."""

    auto_token = True

    def init_settings(self):
        """Settings of the server, with the check of names that Voila switches off."""
        names = {"allow_remote_access": False, "local_hostnames": ["localhost"]}
        return {**super().init_settings(), **names}


if __name__ == "__main__":
    Page.launch_instance()
