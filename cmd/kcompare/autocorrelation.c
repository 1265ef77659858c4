#include "autocorrelation.h"

/* The distance from the first value, exact before it becomes a binary float. */
static double distance(struct dec value, struct dec from)
{
	struct dec distance = value;

	return dec_subtract(&distance, from) ? (double)distance.nano
	                                     : (double)value.nano - (double)from.nano;
}

bool autocorrelation_first(const struct autocorrelation_value *values, size_t count, double *first)
{
	double mean = 0;
	double squares = 0;
	double products = 0;
	double last = 0;

	if (count < 3)
		return false;
	for (size_t i = 0; i < count; i++)
		mean += distance(values[i].value, values[0].value) / (double)count;
	for (size_t i = 0; i < count; i++) {
		double off = distance(values[i].value, values[0].value) - mean;

		squares += off * off;
		if (i && values[i].run == values[i - 1].run)
			products += last * off;
		last = off;
	}
	*first = squares > 0 ? products / squares : 0;
	return squares > 0;
}
