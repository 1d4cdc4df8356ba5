// Encoding takes 4.3 hours.
const ENCODE_HOURS: f64 = 4.3;
let rate = 1_234.5; // tok/s
/* 205 target modules
 * 4.3 h of work */
let v = "4.3.0";
