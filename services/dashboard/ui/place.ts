const GAP = 4

/** Places a popover below its button, its right or left edge aligned; above it where the window ends. */
export function place(popover: HTMLElement, at: DOMRect, edge: "left" | "right"): void {
  const { width, height } = popover.getBoundingClientRect()
  const below = at.bottom + GAP
  const left = edge === "right" ? at.right - width : at.left
  popover.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`
  popover.style.top = `${below + height > innerHeight ? Math.max(GAP, at.top - GAP - height) : below}px`
}
