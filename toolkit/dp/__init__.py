"""Differential privacy: noise, mechanisms, accounting and sensitivity."""
