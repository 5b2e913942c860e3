"""The papers that can be reproduced, each from the same words of a command."""
