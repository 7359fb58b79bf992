import type { Middleware } from "../context.ts"
import { afterReply } from "../after-reply.ts"
import type { Logger } from "../logger.ts"

/**
 * Logs one line for each request: operation, status, organization and activity. Never bodies, stamps or contacts.
 * Internal errors are logged with their cause. The caller's reply does not wait for the line.
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
    afterReply(() => (fault === undefined ? log.info(line) : log.error({ ...line, err: fault })))
  }
}
