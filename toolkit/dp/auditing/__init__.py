"""Statistical audits of mechanisms that claim differential privacy."""
