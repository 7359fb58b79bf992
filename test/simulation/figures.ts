/** Counts of a run's orders, their answers, and ends of the process. */
export type Figures = {
  orders: number
  answers: Map<string, number>
  kills: number
  acknowledged: number
  forged: number
  /** Decisions of which a receipt was seen. */
  decisions: number
}
export const newFigures = (): Figures => ({
  orders: 0,
  answers: new Map(),
  kills: 0,
  acknowledged: 0,
  forged: 0,
  decisions: 0,
})
