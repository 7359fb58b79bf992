/**
 * Ends this process when the one that started it is gone, even by kill -9: the starter holds the other end
 * of our standard input. Only with COUNTERSIGN_EXIT_WITH_PARENT=1; services run by a service manager have no
 * such pipe. `services/common/exit-with-parent.ts` is its twin: the signer imports nothing from there.
 */
export function exitWithParent(
  environment: NodeJS.ProcessEnv = process.env,
  leave: () => void = () => process.kill(process.pid, "SIGTERM"),
): void {
  if (environment.COUNTERSIGN_EXIT_WITH_PARENT !== "1") return
  process.stdin.once("close", leave)
  process.stdin.on("error", () => process.stdin.destroy())
  process.stdin.resume()
  // Watching must not keep a process alive that has nothing left to do.
  if ("unref" in process.stdin) process.stdin.unref()
}
