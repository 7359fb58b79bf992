// The patches of the database driver, postgres 3.4.9, by file of its folder `src`. Each `from` occurs once in the file
// and is replaced by `to`, in this sequence. docs/adr/0015-patched-postgres.md says why.

/** SHA-256 of the files as they are published. */
export const PUBLISHED = {
  "connection.js": "ee3a218d9aa6a6f2887c1a19da50009335fe84c11a5431d5cab72d6bc528632f",
  "index.js": "4e21f5733e70d79cffc10d10d4ef01031de4a9ac862210e43f8870029fd103ed",
  "queue.js": "15e6345adb6708bf3b99ad39fc2231c2fb61de5f6cba4b7a7a6be881482a4ec3",
}

/** A write that was put off came after the socket was gone: a TypeError outside any promise. */
const WRITE_WITHOUT_SOCKET = {
  from: `  function nextWrite(fn) {
    const x = socket.write(chunk, fn)
`,
  to: `  function nextWrite(fn) {
    if (socket === null) {
      chunk = nextWriteTimer = null
      return false
    }
    const x = socket.write(chunk, fn)
`,
}

/** The query for the array types failed outside any promise. */
const TYPES_WITHOUT_READER = {
  from: `    query.execute()
  }

  function ErrorResponse(x) {
`,
  to: `    query.execute()
    query.catch(noop)
  }

  function ErrorResponse(x) {
`,
}

/** One session with the server. */
const CONNECTION = [
  {
    // The pool asks which connections have a socket and which of them have no query.
    from: `    end,
    count: 0,
    id
`,
    to: `    end,
    isOpen: () => socket !== null,
    isIdle: () => query === null,
    count: 0,
    id
`,
  },
  {
    // A statement's bound on this side: the server's own bound does not help where the link is silent.
    from: `      , connectTimer = timer(connectTimedOut, options.connect_timeout)
`,
    to: `      , connectTimer = timer(connectTimedOut, options.connect_timeout)
      , queryTimer = timer(queryTimedOut, options.query_timeout)
`,
  },
  {
    // "true" keeps the connection in its queue. Otherwise the pool considered it full and waited for an answer to no query.
    // After a lost socket the connection was never given out again.
    from: `    if (terminated)
      return queryError(q, Errors.connection('CONNECTION_DESTROYED', options))
`,
    to: `    if (terminated || socket === null) {
      queryError(q, Errors.connection(terminated ? 'CONNECTION_DESTROYED' : 'CONNECTION_CLOSED', options))
      return true
    }
`,
  },
  {
    from: `    if (q.cancelled)
      return

    try {
      q.state = backend
      query
        ? sent.push(q)
        : (query = q, query.active = true)

      build(q)
      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
    } catch (error) {
      sent.length === 0 && write(Sync)
      errored(error)
      return true
    }
  }
`,
    // A transaction holds its connection also while the socket takes no more bytes. Otherwise its session went to others
    // with the transaction open. A query that cannot be written fails alone. Before, it failed the query before it, and
    // each later answer went to the wrong query.
    to: `    if (q.cancelled)
      return true

    try {
      q.state = backend
      query
        ? sent.push(q)
        : activate(q)

      build(q)
      const ready = write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
      return q.options.onexecute ? q.options.onexecute(connection) : ready
    } catch (error) {
      query === q
        ? (write(Sync), errored(error))
        : (sent.remove(q), queryError(q, error))
      return true
    }
  }

  function activate(q) {
    query = q
    query.active = true
    queryTimer.start()
  }

  function queryTimedOut() {
    const late = query
    // An answer that came while this process was busy or suspended is read first.
    setImmediate(() => late && late === query && socket.destroy(Errors.connection('CONNECTION_TIMEOUT', options)))
  }
`,
  },
  WRITE_WITHOUT_SOCKET,
  {
    // Each of several hosts is tried once for a query. The number of tries never grew, so that the query never failed.
    from: `    errored(Errors.connection('CONNECT_TIMEOUT', options, socket))
    socket.destroy()
  }

  async function secure() {
`,
    to: `    error(Errors.connection('CONNECT_TIMEOUT', options, socket))
    socket.destroy()
  }

  async function secure() {
`,
  },
  {
    from: `    if (connection.queue === queues.connecting && options.host[retries + 1])
      return
`,
    to: `    if (initial && options.host[retries + 1])
      return
`,
  },
  {
    // A peer that is silent never closes its end: the connection would not come back, nor this process end.
    from: `      socket.readyState === 'open' && socket.end(b().X().end())
    }
`,
    to: `      socket.readyState === 'open' && socket.end(b().X().end())
      setTimeout(x => x.destroy(), 1000, socket).unref()
    }
`,
  },
  {
    // A cleared timer was taken for a waiting one, so that the next connection never sent its first message. Every query
    // of the session fails with it, also one that came between error and close. So does the query that opens the session,
    // which was tried for ever, without a pause. Nothing of the session is left to the next one, which took the first message of
    // the server for the answer to a former query.
    from: `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
    lifeTimer.cancel()
    connectTimer.cancel()

    socket.removeAllListeners()
    socket = null

    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
    closedTime = performance.now()
    hadError && options.shared.retries++
    delay = (typeof backoff === 'function' ? backoff(options.shared.retries) : backoff) * 1000
    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))
  }
`,
    to: `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
    lifeTimer.cancel()
    connectTimer.cancel()
    queryTimer.cancel()

    error(Errors.connection('CONNECTION_CLOSED', options, socket))
    socket.removeAllListeners()
    socket = query = results = errorResponse = final = null
    result = new Result()
    rows = 0

    if (initial) {
      retries++
      return reconnect()
    }

    retries = 0
    closedTime = performance.now()
    hadError && options.shared.retries++
    delay = (typeof backoff === 'function' ? backoff(options.shared.retries) : backoff) * 1000
    onclose(connection, Errors.connection('CONNECTION_CLOSED', options, socket))
    !initial && ended && (ended(), ending = ended = null)
  }
`,
  },
  {
    from: `  function ReadyForQuery(x) {
    if (query) {
`,
    to: `  function ReadyForQuery(x) {
    queryTimer.cancel()
    if (query) {
      options.shared.answered++
`,
  },
  {
    // Nothing waits for the list of array types. A request to reserve the connection is kept until it has it. A first
    // query that was cancelled leaves the connection free.
    from: `      if (needsTypes) {
        initial.reserve && (initial = null)
        return fetchArrayTypes()
      }

      initial && !initial.reserve && execute(initial)
      options.shared.retries = retries = 0
      initial = null
      return
    }

    while (sent.length && (query = sent.shift()) && (query.active = true, query.cancelled))
      Connection(options).cancel(query.state, query.cancelled.resolve, query.cancelled.reject)

    if (query)
      return // Consider opening if able and sent.length < 50
`,
    // A cancelled query that was sent is answered all the same: skipping it gave its answer to the next one.
    to: `      if (needsTypes)
        return fetchArrayTypes().catch(noop)

      const first = initial
      options.shared.retries = retries = 0
      initial = null
      if (first.reserve)
        return first.reserve(connection)
      execute(first)
    } else if (sent.length) {
      activate(sent.shift())
      query.cancelled && Connection(options).cancel(query.state, query.cancelled.resolve, query.cancelled.reject)
    }

    if (query)
      return // Consider opening if able and sent.length < 50
`,
  },
  {
    from: `      (x === 'prefer-standby' && xs.in_hot_standby === 'off' && options.host[retries])
`,
    to: `      (x === 'prefer-standby' && xs.in_hot_standby === 'off' && options.host[retries + 1])
`,
  },
  TYPES_WITHOUT_READER,
  {
    // The session may be lost while the caller uses a part of the result.
    from: `  async function PortalSuspended() {
    try {
      const x = await Promise.resolve(query.cursorFn(result))
      rows = 0
`,
    to: `  async function PortalSuspended() {
    const q = query
    try {
      const x = await Promise.resolve(q.cursorFn(result))
      if (q !== query)
        return
      rows = 0
`,
  },
  {
    from: `    } catch (err) {
      write(Sync)
      query.reject(err)
    }
  }

  function CloseComplete() {
`,
    to: `    } catch (err) {
      q === query && write(Sync)
      q.reject(err)
    }
  }

  function CloseComplete() {
`,
  },
]

/** The pool. */
const POOL = [
  {
    from: `  let ending = false

  const queries = Queue()
`,
    to: `  let ending = false
    , waitTimer = null

  const queries = Queue()
`,
  },
  {
    from: `    begin,
    close,
    end
  })

  return sql

  function Sql(handler) {
`,
    to: `    begin,
    close,
    end,
    poolState
  })

  return sql

  function Sql(handler) {
`,
  },
  {
    from: `  async function reserve() {
    const queue = Queue()
    const c = open.length
      ? open.shift()
      : await new Promise((resolve, reject) => {
        const query = { reserve: resolve, reject }
        queries.push(query)
        closed.length && connect(closed.shift(), query)
      })

    move(c, reserved)
    c.reserved = () => queue.length
      ? c.execute(queue.shift())
      : move(c, reserved)
    c.reserved.release = true

    const sql = Sql(handler)
    sql.release = () => {
      c.reserved = null
      onopen(c)
    }

    return sql

    function handler(q) {
      c.queue === full
        ? queue.push(q)
        : c.execute(q) || move(c, full)
    }
  }
`,
    // The holder of a connection holds one session. After its end all their queries fail, also waiting ones. The
    // connection may have a session of others, in whose transaction a late COMMIT or ROLLBACK would be run.
    to: `  async function reserve() {
    options.shared.asked++
    const c = open.length
      ? open.shift()
      : await new Promise((resolve, reject) => {
        const query = { reserve: resolve, reject }
        closed.length ? connect(closed.shift(), query) : wait(query)
      })

    const held = hold(c, true)
    const sql = Sql(held.execute)
    sql.release = held.release
    return sql
  }

  function hold(c, release) {
    const queue = Queue()
    let lose
    const lost = new Promise((_, reject) => lose = reject)
    lost.catch(() => { /* noop */ })

    move(c, reserved)
    c.reserved = next
    c.reserved.release = release
    c.onclose = error => {
      lose(error)
      while (queue.length)
        queue.shift().reject(error)
    }

    return {
      lost,
      execute(q) {
        c.reserved !== next
          ? q.reject(Errors.connection('CONNECTION_CLOSED', options))
          : c.queue === full
            ? queue.push(q)
            : c.execute(q) || move(c, full)
      },
      release() {
        c.reserved === next && (c.reserved = null, onopen(c))
      }
    }

    function next() {
      move(c, reserved)
      while (queue.length && c.queue === reserved)
        c.execute(queue.shift()) || move(c, full)
    }
  }
`,
  },
  {
    from: `    !fn && (fn = options, options = '')
    const queries = Queue()
    let savepoints = 0
      , connection
      , prepare = null
`,
    to: `    !fn && (fn = options, options = '')
    let savepoints = 0
      , held
      , prepare = null
`,
  },
  {
    from: `      return await Promise.race([
        scope(connection, fn),
        new Promise((_, reject) => connection.onclose = reject)
      ])
`,
    to: `      return await Promise.race([scope(fn), held.lost])
`,
  },
  {
    from: `    async function scope(c, fn, name) {
`,
    to: `    async function scope(fn, name) {
`,
  },
  {
    from: `        return scope(c, fn, 's' + savepoints++ + (name ? '_' + name : ''))
`,
    to: `        return scope(fn, 's' + savepoints++ + (name ? '_' + name : ''))
`,
  },
  {
    from: `        q.catch(e => uncaughtError || (uncaughtError = e))
        c.queue === full
          ? queries.push(q)
          : c.execute(q) || move(c, full)
      }
    }

    function onexecute(c) {
      connection = c
      move(c, reserved)
      c.reserved = () => queries.length
        ? c.execute(queries.shift())
        : move(c, reserved)
    }
  }
`,
    to: `        q.catch(e => uncaughtError || (uncaughtError = e))
        held.execute(q)
      }
    }

    function onexecute(c) {
      held = hold(c, false)
    }
  }
`,
  },
  {
    from: `  function handler(query) {
    if (ending)
`,
    to: `  function handler(query) {
    options.shared.asked++
    if (ending)
`,
  },
  {
    // A query waits for a connection as long as it may take on one.
    from: `    busy.length
      ? go(busy.shift(), query)
      : queries.push(query)
  }
`,
    to: `    busy.length
      ? go(busy.shift(), query)
      : wait(query)
  }

  function wait(query) {
    query.since = performance.now()
    queries.push(query)
    options.query_timeout && (waitTimer ||= setTimeout(giveUp, options.query_timeout * 1000).unref())
  }

  function giveUp() {
    const left = () => queries.peek().since + options.query_timeout * 1000 - performance.now()
    while (queries.length && left() <= 0)
      queries.shift().reject(Errors.connection('CONNECTION_TIMEOUT', options))
    waitTimer = queries.length ? setTimeout(giveUp, left()).unref() : null
  }

  function poolState() {
    const isLost = c => c.isOpen()
      ? c.queue === full && c.isIdle()
      : c.queue !== closed && c.queue !== connecting && c.queue !== ended
    return {
      open: connections.filter(c => c.isOpen()).length,
      lost: connections.filter(isLost).length,
      waiting: queries.length,
      asked: options.shared.asked,
      answered: options.shared.answered
    }
  }
`,
  },
  {
    from: `  const ints = ['idle_timeout', 'connect_timeout', 'max_lifetime', 'max_pipeline', 'backoff', 'keep_alive']
`,
    to: `  const ints = ['idle_timeout', 'connect_timeout', 'query_timeout', 'max_lifetime', 'max_pipeline', 'backoff', 'keep_alive']
`,
  },
  {
    from: `    connect_timeout : 30,
`,
    to: `    connect_timeout : 30,
    query_timeout   : null,
`,
  },
  {
    from: `    shared          : { retries: 0, typeArrayMap: {} },
`,
    to: `    shared          : { retries: 0, typeArrayMap: {}, asked: 0, answered: 0 },
`,
  },
]

const QUEUE = [
  {
    from: `    push: (x) => (xs.push(x), x),
`,
    to: `    push: (x) => (xs.push(x), x),
    peek: () => xs[index],
`,
  },
]

export const PATCHES = { "connection.js": CONNECTION, "index.js": POOL, "queue.js": QUEUE }

/** Patches of earlier releases, which an installation may have. */
export const FORMER = {
  "connection.js": [
    {
      from: `    if (terminated)
      return queryError(q, Errors.connection('CONNECTION_DESTROYED', options))
`,
      to: `    if (terminated || socket === null)
      return queryError(q, Errors.connection(terminated ? 'CONNECTION_DESTROYED' : 'CONNECTION_CLOSED', options))
`,
    },
    WRITE_WITHOUT_SOCKET,
    {
      from: `    clearImmediate(nextWriteTimer)
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
`,
      to: `    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    socket.removeListener('data', data)
    socket.removeListener('connect', connected)
    idleTimer.cancel()
`,
    },
    {
      from: `        return fetchArrayTypes()
`,
      to: `        return fetchArrayTypes().catch(noop)
`,
    },
    TYPES_WITHOUT_READER,
  ],
}
