/** Programs beside the tests, by the first tier that runs them. A later tier runs those of the earlier ones too. */
export type Tier = "commit" | "deep" | "release"
export const TIERS: readonly Tier[] = ["commit", "deep", "release"]

export type Program = {
  name: string
  from: Tier
  /** Arguments of npm run, by tier. */
  words: Partial<Record<Tier, string[]>>
  /** The part of the output that says what was counted. */
  figure: RegExp
}

export const PROGRAMS: readonly Program[] = [
  {
    name: "simulate",
    from: "commit",
    words: {
      commit: ["--", "--runs", "60"],
      deep: ["--", "--hours", "0.25"],
      release: ["--", "--hours", "1"],
    },
    figure: /^\d+ orders, .*$/gm,
  },
  {
    name: "fuzz",
    from: "deep",
    words: { deep: ["--", "all", "--minutes", "0.5"], release: ["--", "all", "--minutes", "1"] },
    figure: /^\d+ readers?: .*$/gm,
  },
  {
    name: "cross",
    from: "deep",
    words: {},
    figure: /^.+: \d+ of \d+ cells run, .*$/gm,
  },
  { name: "sweep", from: "release", words: {}, figure: /^(?:altered orders|refused|effects): .*$/gm },
]

/** The tests of these tiers are in their long form. */
export const LONG_FORM: ReadonlySet<Tier> = new Set<Tier>(["deep", "release"])
