"""The experiments of Shaham, Ghinita and Shahabi (EDBT 2022) on matrices of origins, destinations and stops."""
