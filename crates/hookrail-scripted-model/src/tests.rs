//! The server as clients meet it: through a socket, byte by byte.

mod augment;
mod client;
mod heard;
mod lifecycle;
mod reading;
mod sample;
mod shapes;
mod transport;
mod turns;
mod wires;
