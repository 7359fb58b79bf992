import { isLoopback, type ListenAddress, listenAddress } from "./setting-kinds.ts"

/** Where the hosts of the system listen. Whoever reads settings reads all three: a bad one stops any start. */
export const listenSettings = {
  COUNTERSIGN_API_LISTEN: listenAddress("localhost:8080"),
  COUNTERSIGN_AUTH_PROXY_LISTEN: listenAddress("localhost:8081"),
  COUNTERSIGN_DASHBOARD_LISTEN: listenAddress("localhost:8082"),
}

/** Callers are served in the clear, so that beyond this host somebody has to say who encrypts. */
export function faultOfPlainHttp(
  host: "API" | "AUTH_PROXY",
  listen: ListenAddress | undefined,
  behindProxy: string | undefined,
): string[] {
  if (listen === undefined || isLoopback(listen) || behindProxy !== "false") return []
  const advice = `put a proxy with TLS before it and set COUNTERSIGN_${host}_BEHIND_PROXY=true`
  return [`COUNTERSIGN_${host}_LISTEN: plain HTTP beyond this host's loopback; ${advice}`]
}
