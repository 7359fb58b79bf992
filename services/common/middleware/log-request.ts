import type { Middleware } from "../context.ts"
import type { Logger } from "../logger.ts"

/**
 * Logs one line for each request: operation, status, organization and activity. Never bodies, stamps or contacts.
 * Internal errors are logged with their cause.
 */
export function logRequests(log: Logger): Middleware {
  return async (context, next) => {
    const began = performance.now()
    await next()
    const { operation, requestId, organizationId, activityId, reason, fault } = context.state
    const line = {
      method: context.method,
      operation: operation ?? "unknown",
      status: context.status,
      ms: Math.round((performance.now() - began) * 100) / 100,
      requestId,
      organizationId,
      activityId,
      reason,
    }
    if (fault !== undefined) log.error({ ...line, err: fault })
    else log.info(line)
  }
}
