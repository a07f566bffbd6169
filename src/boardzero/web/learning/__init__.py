"""Trainings: started, stopped and watched."""
