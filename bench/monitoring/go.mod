module mainstay.dev/bench/monitoring

go 1.26.0
