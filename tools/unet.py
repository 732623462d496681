"""A small U-Net, to be imported and drawn: what comes down on the left goes across to the right."""

import torch
from torch import Tensor, nn


class Double(nn.Module):
    """Two convolutions of three by three, each normalised and rectified."""

    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        """Return features of (N, out, H, W) from (N, channels, H, W)."""
        x = self.relu(self.norm1(self.conv1(x)))
        return self.relu(self.norm2(self.conv2(x)))


class UNet(nn.Module):
    """Three levels down and up again, with a way across at each; a mask of one channel."""

    def __init__(self, channels: int = 3, classes: int = 1) -> None:
        super().__init__()
        self.down1 = Double(channels, 16)
        self.down2 = Double(16, 32)
        self.middle = Double(32, 64)
        self.pool = nn.MaxPool2d(2)
        self.up2 = nn.ConvTranspose2d(64, 32, 2, stride=2)
        self.across2 = Double(64, 32)
        self.up1 = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.across1 = Double(32, 16)
        self.mask = nn.Conv2d(16, classes, 1)

    def forward(self, image: Tensor) -> Tensor:
        """Return scores of (N, classes, H, W) for images whose sides divide by 4."""
        first = self.down1(image)
        second = self.down2(self.pool(first))
        deep = self.middle(self.pool(second))
        second = self.across2(torch.cat((self.up2(deep), second), dim=1))
        first = self.across1(torch.cat((self.up1(second), first), dim=1))
        return self.mask(first)
