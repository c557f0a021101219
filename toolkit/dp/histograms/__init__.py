"""Differentially private histograms of a table, after PrivacyHistos."""
