/**
 * Ends this process when its parent has ended, even by kill -9: the parent holds the other end of standard input. Only
 * with COUNTERSIGN_EXIT_WITH_PARENT=1; under a service manager there is no such pipe. The function exists twice, here and
 * in `signer/process/exit-with-parent.ts`: services and the signer's processes do not import each other, and the core may
 * not use `process`.
 */
export function exitWithParent(): void {
  if (process.env["COUNTERSIGN_EXIT_WITH_PARENT"] !== "1") return
  process.stdin.once("close", () => process.kill(process.pid, "SIGTERM"))
  process.stdin.on("error", () => process.stdin.destroy())
  process.stdin.resume()
  // The watch alone must not keep the process running.
  if ("unref" in process.stdin) process.stdin.unref()
}
