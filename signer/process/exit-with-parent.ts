/**
 * Ends this process when the process that started it is gone, even by kill -9: the starter holds the other end of
 * standard input. Only with COUNTERSIGN_EXIT_WITH_PARENT=1; under a service manager there is no such pipe. Written twice,
 * here and in `services/common/exit-with-parent.ts`: services and the signer's processes do not import each other, and the core
 * touches no process.
 */
export function exitWithParent(): void {
  if (process.env["COUNTERSIGN_EXIT_WITH_PARENT"] !== "1") return
  process.stdin.once("close", () => process.kill(process.pid, "SIGTERM"))
  process.stdin.on("error", () => process.stdin.destroy())
  process.stdin.resume()
  // The pipe alone must not keep the process alive.
  if ("unref" in process.stdin) process.stdin.unref()
}
