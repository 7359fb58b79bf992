import type { IconName } from "./icon.tsx"

/** The pages, in their order. */
export const NAVIGATION: readonly { path: string; title: string; icon: IconName }[] = [
  { path: "/", title: "Home", icon: "home" },
  { path: "/approvals", title: "Approvals", icon: "approvals" },
  { path: "/activity", title: "Activity", icon: "activity" },
  { path: "/wallets", title: "Wallets", icon: "wallets" },
  { path: "/people", title: "People", icon: "people" },
  { path: "/policies", title: "Policies", icon: "policies" },
  { path: "/organizations", title: "Sub-organizations", icon: "orgs" },
  { path: "/login", title: "Login", icon: "login" },
  { path: "/webhooks", title: "Webhooks", icon: "webhooks" },
  { path: "/settings", title: "Settings", icon: "settings" },
  { path: "/console", title: "Console", icon: "console" },
  { path: "/system", title: "System", icon: "system" },
]

/** True if a path is the page's own or below it. */
export function isPageOf(path: string, page: string): boolean {
  return page === "/" ? path === "/" : path === page || path.startsWith(`${page}/`)
}

/** The page whose list has the thing of a path; undefined: the path is itself one of the pages. */
export function listAbove(path: string): (typeof NAVIGATION)[number] | undefined {
  return NAVIGATION.find((page) => page.path !== path && isPageOf(path, page.path))
}
