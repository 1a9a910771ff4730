"""Client of nmp, the robot-data platform."""

from .client import AsyncClient, Client
from .errors import ApiError, ConnectionFailed, DownloadFailed, JobFailed, NmpError, ValidationIssue
from .progress import print_progress

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "DownloadFailed",
    "JobFailed",
    "NmpError",
    "ValidationIssue",
    "print_progress",
]
