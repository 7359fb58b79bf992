import type { Tone } from "../words/activity.ts"

/** Icons by name: strokes in a box of 16. */
const PATHS = {
  home: "M2.5 7.5 8 3l5.5 4.5V13a.5.5 0 0 1-.5.5h-3V10H6v3.500H3a.5.5 0 0 1-.5-.5z",
  approvals: "M3 8.500l3.500 3.500L13 4.500",
  activity: "M2 8h3l2-4.500 3 9L12 8h2",
  wallets:
    "M2.500 4.500h9a1.500 1.500 0 0 1 1.500 1.500v6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1.500 1.500 0 0 1 1.500-1.500H11M10.500 9h.01",
  people:
    "M6 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M1.500 13.500c0-2.500 2-4 4.500-4s4.500 1.500 4.500 4M10.500 2.800a2.500 2.500 0 0 1 0 4.400M12 9.800c1.500.5 2.500 1.800 2.500 3.700",
  policies: "M8 2l5 2v4c0 3-2.200 5-5 6-2.800-1-5-3-5-6V4z",
  orgs: "M2.500 13.500v-9l5-2.500v11.500M7.500 6.500l6 2.500v4.500M1.500 13.500h13M5 6h.01M5 9h.01",
  login: "M9 2.500h3.500a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H9M2 8h7.500M7 5l3 3-3 3",
  webhooks: "M3 4.500h10M3 8h6M3 11.500h4M12 9.500v4M10 11.500l2 2 2-2",
  settings:
    "M8 10.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400M8 1.800v2M8 12.200v2M1.800 8h2M12.200 8h2M3.600 3.600 5 5M11 11l1.400 1.400M12.400 3.600 11 5M5 11l-1.400 1.400",
  console: "M2.500 3.500h11v9h-11zM5 6.500l2 1.500-2 1.500M8.500 10H11",
  system: "M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01",
  check: "M3.500 8.500l3 3 6-7",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 4.800V8l2 1.500",
  cross: "M4 4l8 8M12 4l-8 8",
  alert: "M8 2.500 14.500 13.500h-13zM8 6.500v3.200M8 11.600h.01",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 7.500v3.500M8 5.200h.01",
  copy: "M5.500 5.500h7v7h-7zM3.500 10.500v-7h7",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  plus: "M8 3v10M3 8h10",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M12.600 3.400l-.7.7M4.100 11.900l-.7.7",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z",
  leave: "M7 2.500H3.500a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1H7M6.500 8H14M11.500 5.500 14 8l-2.500 2.500",
  menu: "M2.500 4.500h11M2.500 8h11M2.500 11.500h11",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M10.500 10.500l3 3",
  shield: "M8 2l5 2v4c0 3-2.200 5-5 6-2.800-1-5-3-5-6V4zM5.800 8l1.600 1.600 3-3.200",
  key: "M10.500 8.500a3 3 0 1 0-2.600-1.500L2.500 12.500v1.500h2v-1.500H6V11l1.200-1.200M11.500 5h.01",
  arrow: "M3 8h10M9.500 4.500 13 8l-3.500 3.500",
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, label }: { name: IconName; label?: string }) {
  return (
    <svg
      class={`icon icon-${name}`}
      viewBox="0 0 16 16"
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The icon of a state: it says with another sign what the colour says. */
export function badgeIcon(tone: Tone | "data"): IconName {
  return tone === "data" ? "shield" : TONE_ICONS[tone]
}

const TONE_ICONS: { readonly [tone in Tone]: IconName } = {
  good: "check",
  warn: "clock",
  bad: "cross",
  "": "info",
}
