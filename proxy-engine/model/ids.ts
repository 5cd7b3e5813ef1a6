/** Identifies one exchange, tunnel or relay for ever in one data folder. Grows with time; engine workers interleave. */
export type ExchangeId = number;

/** Identifies one capture run. */
export type SessionId = number;

/** Identifies one transport connection, client or origin side, in one data folder. */
export type ConnectionId = number;
