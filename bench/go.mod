// The benchmarks are a module of their own, so that the product is built and checked without them.
// go.work puts it beside the product's, whose versions of everything else it uses.
module homeroom/bench

go 1.26.0

require github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
