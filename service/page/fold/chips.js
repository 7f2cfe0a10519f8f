// What the service counts a chip as, in `total`.
export const CHIP = 10_000;
