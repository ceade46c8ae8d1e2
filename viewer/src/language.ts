// A language tag that scripts can use. Browsers started in a bare environment report tags such as "en-US@posix", which number
// formats refuse with an exception. Import this before libraries that format numbers when they are loaded (uPlot).

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}
