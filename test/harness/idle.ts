// A program without any guard: it runs until it is stopped.
console.log("idle")
setInterval(() => undefined, 1000)
